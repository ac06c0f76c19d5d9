#include "src/synth/markup_patterns.h"

#define PATTERNS(array)                                                                            \
    { array, sizeof array / sizeof array[0] }

/* No end tag may stand in a style sheet or script, and no "<" or ">" in an attribute. Elements are
 * none of those that the extractor takes for navigation, and none has text in it. */

static const char *const metas[] = {
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
    "<meta name=\"page-id\" content=\"%p\">\n",
    "<meta property=\"og:type\" content=\"article\">\n",
    "<meta property=\"og:image\" content=\"/uploads/%s/%s-%h-1200x630.jpg\">\n",
    "<meta name=\"twitter:card\" content=\"summary_large_image\">\n",
    "<meta name=\"theme-color\" content=\"#%h\">\n",
    "<link rel=\"icon\" type=\"image/png\" sizes=\"32x32\" href=\"/assets/favicon-32x32.png\">\n",
    "<link rel=\"apple-touch-icon\" sizes=\"180x180\" href=\"/assets/apple-touch-icon.png\">\n",
    "<link rel=\"stylesheet\" id=\"%s-css\" href=\"/static/css/%s.%h.css?ver=%n.%n\" "
    "media=\"all\">\n",
    "<link rel=\"preload\" href=\"/static/fonts/%s-%h.woff2\" as=\"font\" type=\"font/woff2\" "
    "crossorigin>\n",
    "<script src=\"/static/js/%s.%h.min.js?ver=%n.%n\" defer></script>\n",
};

static const char *const selectors[] = {
    ".%c",        ".%c .%c",     ".%c:hover,.%c:focus", ".%c a",   ".%c>li+li",
    ".%c::after", "#%s .%c img", ".%c.is-active",       ".%c--%i", "body.%s-%s .%c",
};

static const char *const styles[] = {
    "display:flex;flex-wrap:wrap",
    "display:inline-block",
    "display:none",
    "position:relative",
    "position:absolute;top:0;left:0;right:0",
    "margin:0 auto %dpx",
    "margin-bottom:%n%npx",
    "padding:%n%npx %n%npx",
    "width:100%%;height:auto",
    "max-width:%dpx",
    "font-size:1%npx;line-height:1.%n",
    "font-weight:700",
    "color:#%h",
    "background-color:#%h",
    "background:url(/assets/%s-%s.svg) no-repeat 0 -%dpx",
    "border:1px solid #%h",
    "border-radius:%npx",
    "box-shadow:0 %npx %n%npx rgba(0,0,0,.%n)",
    "transition:opacity .%ns ease-in-out",
    "align-items:center;justify-content:space-between",
    "text-decoration:none",
    "overflow:hidden;text-overflow:ellipsis;white-space:nowrap",
    "-webkit-transform:translateX(-%n%n%%);transform:translateX(-%n%n%%)",
    "z-index:%d",
};

static const char *const scripts[] = {
    "window.dataLayer=window.dataLayer||[];window.dataLayer.push({\"event\":\"%s_%s\",\"slot\":"
    "%i});\n",
    "document.querySelectorAll(\".%c-%i\").forEach(function(e){e.classList.add(\"%c\");e."
    "addEventListener(\"click\",function(t){t.preventDefault();window.%s.track(\"%s\",%d)})});\n",
    "(function(d,s){var e=d.createElement(s),f=d.getElementsByTagName(s)[0];e.async=1;e.src="
    "\"/static/js/%s-%i.%h.js\";f.parentNode.insertBefore(e,f)})(document,\"script\");\n",
    "var "
    "%s_%s_%i={\"ajaxurl\":\"/api/%s/%i\",\"nonce\":\"%h\",\"timeout\":%d,\"breakpoint\":%d};\n",
    "googletag.cmd.push(function(){googletag.defineSlot(\"/%d/%s-%s\",[[300,250],[%d,90]],"
    "\"%c-%i\").addService(googletag.pubads())});\n",
    "if(!window.%s%i){window.%s%i=function(){(window.%s.q=window.%s.q||[]).push(arguments)}}\n",
    "window.%s&&window.%s(\"set\",\"%s%i\",\"%h\");\n",
};

static const char *const states[] = {
    "\"%s%i\":{\"type\":\"%s\",\"enabled\":true,\"position\":null,\"endpoint\":\"/api/%s\","
    "\"settings\":{\"columns\":%n,\"cssClass\":\"%c\",\"lazyLoad\":true,\"hideOnMobile\":false,"
    "\"children\":[]}},",
    "\"%s%i\":{\"component\":\"%s-%s\",\"props\":{\"className\":\"%c %c\",\"limit\":%n,"
    "\"lazy\":true,\"theme\":{\"color\":\"#%h\",\"background\":\"#%h\",\"border\":\"none\"}}},",
    "\"%s%i\":{\"width\":%d,\"height\":%d,\"mime\":\"image/jpeg\",\"srcset\":null,\"sizes\":\"(max-"
    "width: 767px) 100vw, 767px\",\"caption\":\"\",\"alt\":\"\",\"credit\":null},",
};

static const char *const widgets[] = {
    "<div class=\"%c\" id=\"ad-slot-%i\" data-ad-unit=\"/%d/%s\" "
    "data-sizes=\"[[300,250],[728,90]]\" "
    "aria-hidden=\"true\"></div>\n",
    "<div class=\"%c\"><span class=\"%c\"><svg width=\"24\" height=\"24\" viewBox=\"0 0 24 24\" "
    "fill=\"none\" stroke=\"currentColor\" aria-hidden=\"true\"><path d=\"M1%n %nc0-1.1.9-2 "
    "2-2h%nv%n"
    "l-%n.5 %nz\"></path><circle cx=\"12\" cy=\"12\" r=\"%n\"></circle></svg></span></div>\n",
    "<div class=\"%c %c\" data-share-id=\"%i\"><a class=\"%c\" "
    "href=\"https://share.example/?u=%i\" "
    "rel=\"nofollow noopener\" target=\"_blank\"><svg class=\"%c\"><use "
    "xlink:href=\"#icon-%s\"></use></svg></a><a class=\"%c\" href=\"https://post.example/?u=%i\" "
    "rel=\"nofollow noopener\" target=\"_blank\"><svg class=\"%c\"><use "
    "xlink:href=\"#icon-%s\"></use></svg></a></div>\n",
    "<script>window.%s.push({\"slot\":\"%s-%i\",\"unit\":%d});</script>\n",
    "<div class=\"%c\" style=\"height:%n0px\"></div>\n<!-- /.%c -->\n",
    "<div class=\"%c\"><picture class=\"%c\"><source type=\"image/webp\" "
    "media=\"(min-width:%dpx)\" "
    "data-srcset=\"/uploads/%s-%i-640.webp 640w, /uploads/%s-%i-1280.webp "
    "1280w\"></picture></div>\n",
};

static const char *const attributes[] = {
    " class=\"%c\"",
    " class=\"%c %c\" data-position=\"%n\"",
    " class=\"%c\" data-ga-category=\"%s\" data-ga-action=\"click\"",
    " class=\"%c\" itemprop=\"url\" rel=\"bookmark\"",
};

static const char *const words[] = {
    "header", "card",   "item",    "title",  "media",   "grid",   "col",     "row",
    "wrap",   "inner",  "content", "body",   "list",    "link",   "icon",    "btn",
    "meta",   "author", "share",   "teaser", "promo",   "slot",   "widget",  "module",
    "layout", "entry",  "story",   "image",  "caption", "social", "comment", "container",
};

const nd_wrapper nd_wrappers[ND_WRAPPERS] = {
    {"<div class=\"%c %c\" data-index=\"%i\"><div class=\"%c\">\n", "</div></div>\n"},
    {"<section class=\"%c %c\" data-id=\"%h\" data-element_type=\"section\" "
     "data-settings=\"{&quot;background&quot;:&quot;classic&quot;}\">\n<div class=\"%c\"><div "
     "class=\"%c\">\n",
     "</div></div></section>\n"},
    {"<div class=\"row %c\"><div class=\"col-xs-12 col-sm-1%n col-md-%n\">\n", "</div></div>\n"},
    {"<div class=\"%c\" id=\"%s-%i\" data-component=\"%s\" data-track-visible=\"true\">\n<div "
     "class=\"%c\" style=\"max-width:%dpx\">\n",
     "</div>\n</div><!-- #%s-%i -->\n"},
    {"<div class=\"%c\"><div class=\"%c\"><div class=\"%c\" data-reactid=\".0.1.%i\">\n",
     "</div></div></div>\n"},
    {"<table class=\"%c\" width=\"100%%\" border=\"0\" cellspacing=\"0\" "
     "cellpadding=\"%n\"><tr><td "
     "class=\"%c\" valign=\"top\">\n",
     "</td></tr></table>\n"},
};

const nd_patterns nd_meta_patterns = PATTERNS(metas);
const nd_patterns nd_selector_patterns = PATTERNS(selectors);
const nd_patterns nd_style_patterns = PATTERNS(styles);
const nd_patterns nd_script_patterns = PATTERNS(scripts);
const nd_patterns nd_state_patterns = PATTERNS(states);
const nd_patterns nd_widget_patterns = PATTERNS(widgets);
const nd_patterns nd_attribute_patterns = PATTERNS(attributes);
const nd_patterns nd_word_patterns = PATTERNS(words);
