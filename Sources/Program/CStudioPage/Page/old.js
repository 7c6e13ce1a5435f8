// @ts-check
// Says that the browser is too old for the page's style and modules. A classic script in old syntax, before all others: what comes after
// it goes into a template, so that the link is still good for another browser.
if (!(window.CSS && CSS.supports && CSS.supports("color", "light-dark(#000, #fff)"))) {
  document.write((/^zh/.test(navigator.language)
    ? "<p lang=zh-Hans>此浏览器太旧，无法显示 Kinecast；请更新它，或在一分钟内用另一个浏览器打开链接。"
    : "<p>This browser is too old for Kinecast. Update it, or open the link in another browser within a minute.") + "<template>");
}
