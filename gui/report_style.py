"""How the report looks: asphalt and road signs on a screen, ink on paper."""

from gui.look_palette import SIGNS, SURFACES

_dark = {name: ink.dark for name, ink in SURFACES.items()}

STYLE = f"""
*{{box-sizing:border-box}}
body{{margin:0;background:{_dark["window"]};color:{_dark["text"]};
 font:18px/1.45 Barlow,'Helvetica Neue',Arial,'DejaVu Sans',sans-serif;font-variant-numeric:tabular-nums}}
header,main,footer{{max-width:1400px;margin:0 auto;padding:16px 24px}}
h1{{font-size:56px;line-height:1.1;margin:24px 0 8px;overflow-wrap:anywhere}}
h2{{font-size:28px;display:flex;flex-wrap:wrap;align-items:center;gap:8px;margin:0 0 8px}}
h2>svg:last-child{{margin-left:auto}}
header p,footer,figcaption{{color:{_dark["dim"]}}}
header b{{color:{_dark["text"]}}}
nav{{display:flex;flex-wrap:wrap;gap:4px}}
nav a{{min-width:36px;padding:4px 8px;border-radius:8px;text-align:center;text-decoration:none}}
nav a.legal{{background:{SIGNS["legal"].ground};color:{SIGNS["legal"].ink}}}
nav a.illegal{{background:{SIGNS["illegal"].ground};color:{SIGNS["illegal"].ink};text-decoration:underline}}
nav a.too_close{{background:{SIGNS["too_close"].ground};color:{SIGNS["too_close"].ink};font-style:italic}}
section{{background:{_dark["panel"]};border-radius:8px;padding:24px;margin:0 0 24px;break-inside:avoid}}
p{{margin:0 0 8px}} ul{{margin:0 0 16px;padding-left:24px}}
.views{{display:grid;grid-template-columns:3fr 2fr;gap:24px;align-items:start}}
.views>div:empty{{display:none}}
@media (max-width:800px){{.views{{grid-template-columns:1fr}}}}
figure{{margin:0 0 16px;position:relative}}
figure img,figure>svg{{display:block;width:100%;height:auto;border-radius:8px}}
figure img+svg{{position:absolute;inset:0 0 auto 0}}
figcaption{{font-size:14px;padding-top:4px}}
table{{border-collapse:collapse;margin-top:16px}}
th,td{{padding:4px 16px 4px 0;text-align:right}} th:first-child{{text-align:left}}
th svg{{vertical-align:-6px}}
tr:first-child th{{color:{_dark["dim"]};font-weight:400;font-size:14px}}
@media print{{body{{background:#fff;color:#000}}section{{background:#fff;border:1px solid #ccc}}
 th[style]{{color:#000!important}}header p,footer,figcaption{{color:#444}}}}
"""
