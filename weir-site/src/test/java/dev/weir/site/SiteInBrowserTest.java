package dev.weir.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.SimpleFileServer;
import dev.weir.checks.browser.Browser;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The site that the build has made, opened and clicked through: from a disk, and once from a web server. */
@Timeout(180)
class SiteInBrowserTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static Browser browser;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        browser = new Browser(folder);
    }

    @AfterAll
    static void end() {
        if (browser != null) {
            browser.close();
        }
    }

    private static URI onDisk(String page) {
        return MadePagesTest.SITE.resolve(page).toUri();
    }

    private static void open(URI page) throws Exception {
        browser.troubles.clear();
        browser.open(page);
        // The last thing that the page's script shows.
        awaitTrue("document.readyState === 'complete' && document.getElementById('search')?.hidden === false"
                + " && location.href === '" + page + "'");
    }

    private static void awaitTrue(String condition) {
        // While a page gives way to the next, an evaluation fails.
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(browser.evaluate(condition)).as(condition).isEqualTo("true"));
    }

    private static void assertQuiet() throws Exception {
        assertThat(browser.troubles).isEmpty();
        assertThat(browser.evaluate("performance.getEntriesByType('resource').map(each => each.name)"
                        + ".filter(name => new URL(name).host !== location.host).join()"))
                .isEmpty();
    }

    private static void click(String selector) throws Exception {
        assertThat(browser.evaluate("document.querySelector('" + selector + "').click(), 'clicked'"))
                .isEqualTo("clicked");
    }

    /** Finds a word of a page by the keyboard, and follows the first result to its heading. */
    private static void searchAndFollow() throws Exception {
        browser.press("/");
        awaitTrue("document.activeElement.id === 'query' && document.activeElement.value === ''");
        for (String key :
                "finished prefix".chars().mapToObj(Character::toString).toList()) {
            browser.press(key);
        }
        awaitTrue("document.querySelectorAll('#results a mark').length > 0");
        String first = browser.evaluate("document.querySelector('#results a').href");
        assertThat(first).contains(".html#");
        assertThat(browser.evaluate("document.querySelector('#results a b').textContent.length > 0"
                        + " && document.querySelector('#results .excerpt').textContent.length > 20"))
                .isEqualTo("true");
        browser.press("Escape");
        awaitTrue("document.getElementById('found').hidden");
        assertThat(browser.evaluate(
                        "query.value = 'finished prefix', query.dispatchEvent(new Event('input')), 'again'"))
                .isEqualTo("again");
        awaitTrue("document.querySelector('#results a')?.href === '" + first + "'");
        click("#results a");
        awaitTrue("location.href === '" + first + "' && document.querySelector('h1') !== null");
        awaitTrue("document.getElementById(decodeURIComponent(location.hash.slice(1))).matches('h1, h2, h3, h4')"
                + " && document.querySelector(':target') !== null");
    }

    @Test
    void onDisk_navigationSearchAndNeighboursWork() throws Exception {
        browser.resize(1400, 900);
        open(onDisk("index.html"));
        click("#navigation a[href$=\"guide/tutorial.html\"]");
        awaitTrue(
                "location.pathname.endsWith('/guide/tutorial.html')"
                        + " && document.querySelector('[aria-current]')?.textContent === document.querySelector('h1').textContent");
        awaitTrue("document.querySelectorAll('pre .hljs-keyword').length > 5");
        click("[rel=next]");
        awaitTrue("location.pathname.endsWith('/guide/cookbook.html') && document.readyState === 'complete'");
        click("#outline a");
        awaitTrue("document.querySelector(':target')?.matches('h2, h3')");
        searchAndFollow();
        assertQuiet();
    }

    @Test
    void onAServer_navigationAndSearchWork() throws Exception {
        HttpServer server = SimpleFileServer.createFileServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Objects.requireNonNull(MadePagesTest.SITE.getParent()),
                SimpleFileServer.OutputLevel.NONE);
        server.start();
        try {
            String host = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
            browser.resize(1400, 900);
            browser.troubles.clear();
            browser.open(URI.create(host + "index.html"));
            awaitTrue("location.pathname.endsWith('/" + MadePagesTest.SITE.getFileName()
                    + "/index.html') && document.getElementById('search')?.hidden === false");
            searchAndFollow();
            assertQuiet();
        } finally {
            browser.open(URI.create("about:blank"));
            server.stop(0);
        }
    }

    @Test
    void chosenTheme_survivesAReload() throws Exception {
        String background = "getComputedStyle(document.body).backgroundColor";
        browser.prefer("light");
        open(onDisk("guide/consuming.html"));
        String light = browser.evaluate(background);
        click("#theme");
        String dark = browser.evaluate(background);
        assertThat(dark).isNotEqualTo(light);
        open(onDisk("reference/operators.html"));
        assertThat(browser.evaluate(background)).isEqualTo(dark);
        assertThat(browser.evaluate("document.getElementById('theme').getAttribute('aria-pressed')"))
                .isEqualTo("true");
        click("#theme");
        assertThat(browser.evaluate(background)).isEqualTo(light);
        assertThat(browser.evaluate("localStorage.removeItem('weir-theme'), 'forgotten'"))
                .isEqualTo("forgotten");
        assertQuiet();
    }

    @Test
    void narrowPage_hasNoSidewaysScrollAndAMenu() throws Exception {
        browser.resize(360, 740);
        for (String page : new String[] {
            "index.html",
            "contents.html",
            "reference/operators.html",
            "guide/console.html",
            "adr/index.html",
            "benchmarks/clients.html",
            "changelog.html"
        }) {
            open(onDisk(page));
            assertThat(browser.evaluate("innerWidth + ' pixels, beyond them: '"
                            + " + (document.documentElement.scrollWidth - document.documentElement.clientWidth)"))
                    .as(page)
                    .isEqualTo("360 pixels, beyond them: 0");
        }
        assertThat(browser.evaluate("getComputedStyle(document.getElementById('navigation')).display"))
                .isEqualTo("none");
        click("header .menu");
        awaitTrue("getComputedStyle(document.getElementById('navigation')).display === 'block'");
        assertQuiet();
    }

    @Test
    void pages_inDarkAndLight_keepTheRulesOfAccessibility() throws Exception {
        browser.resize(1400, 900);
        for (String page : new String[] {"index.html", "guide/cookbook.html"}) {
            open(onDisk(page));
            browser.assertAccessible("light");
            browser.assertAccessible("dark");
        }
        browser.prefer("light");
    }
}
