package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.SimpleFileServer;
import dev.weir.checks.browser.Browser;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clicks through the site built by {@code checks/site.sh} in a browser, first from disk and then from a web server. */
@Tag("long")
@Timeout(180)
class SiteInBrowserTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final String OLDER = "0.0.1";

    private static final String THEME = "document.body.dataset.theme";

    private static final String BACKGROUND = "getComputedStyle(document.body).backgroundColor";

    /** A link to another file of the site, with an optional anchor. */
    private static final Pattern LINK = Pattern.compile("(?:href|src)=\"(?![a-z]+:)([^\"#?]*)(#[^\"]*)?\"");

    /** The folder of all versions. */
    @TempDir
    private static Path site;

    private static String version = "";

    private static Browser browser;

    @BeforeAll
    @Timeout(900)
    static void makeSite(@TempDir Path profile) throws Exception {
        Files.createDirectories(site.resolve(OLDER));
        for (String page : List.of("README.html", "index.html")) {
            Files.writeString(site.resolve(OLDER).resolve(page), "<title>The older version</title><h1>Older</h1>");
        }
        Process made = new ProcessBuilder("checks/site.sh", site.toString())
                .directory(ROOT.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(made.waitFor()).as(said).isZero();
        try (Stream<Path> folders = Files.list(site)) {
            version = folders.map(folder -> String.valueOf(folder.getFileName()))
                    .filter(name -> Character.isDigit(name.charAt(0)) && !name.equals(OLDER))
                    .findFirst()
                    .orElseThrow();
        }
        browser = new Browser(profile);
    }

    @AfterAll
    static void end() {
        if (browser != null) {
            browser.close();
        }
    }

    private static URI onDisk(String page) {
        return site.resolve(version).resolve(page).toUri();
    }

    private static void open(URI page) throws Exception {
        browser.troubles.clear();
        browser.open(page);
        awaitTrue("document.readyState === 'complete' && location.href === '" + page + "'");
    }

    private static void awaitTrue(String condition) {
        // A script fails while the browser loads the next page.
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(browser.evaluate(condition)).as(condition).isEqualTo("true"));
    }

    private static void assertQuiet() throws Exception {
        assertThat(browser.troubles).isEmpty();
        assertThat(browser.evaluate("performance.getEntriesByType('resource').map(each => each.name)"
                        + ".filter(name => !name.startsWith('data:') && new URL(name).host !== location.host).join()"))
                .isEmpty();
    }

    private static void click(String selector) throws Exception {
        assertThat(browser.evaluate("document.querySelector('" + selector + "').click(), 'clicked'"))
                .isEqualTo("clicked");
    }

    /** Searches with the keyboard and follows a result. */
    private static void searchAndFollow() throws Exception {
        browser.press("/");
        awaitTrue("document.activeElement.matches('.sidebar-search') && document.activeElement.value === ''");
        for (String key : "watermark".chars().mapToObj(Character::toString).toList()) {
            browser.press(key);
        }
        assertThat(browser.evaluate("document.activeElement.form.submit(), 'sent'"))
                .isEqualTo("sent");
        awaitTrue("location.pathname.endsWith('/search.html')"
                + " && document.querySelectorAll('#search-results li a').length > 0");
        click("#search-results li a");
        awaitTrue("!location.pathname.endsWith('/search.html') && document.querySelector('h1') !== null"
                + " && document.body.textContent.toLowerCase().includes('watermark')");
    }

    @Test
    void links_leadToPagesAndAnchorsThatAreThere() throws IOException {
        Map<Path, String> pages = new HashMap<>();
        try (Stream<Path> files = Files.walk(site.resolve(version))) {
            for (Path file : files.filter(SiteInBrowserTest::isPage).toList()) {
                pages.put(file, Files.readString(file));
            }
        }
        assertThat(pages).hasSizeGreaterThan(200);
        List<String> dead = new ArrayList<>();
        pages.forEach((file, page) -> LINK.matcher(page).results().forEach(link -> {
            String path = URLDecoder.decode(link.group(1), StandardCharsets.UTF_8);
            String anchor = link.group(2);
            Path target = path.isEmpty() ? file : file.resolveSibling(path).normalize();
            boolean isThere = (anchor == null || anchor.length() == 1)
                    ? Files.isRegularFile(target)
                    : pages.getOrDefault(target, "").contains("id=\"" + anchor.substring(1) + "\"");
            if (!isThere) {
                dead.add(site.relativize(file) + ": " + link.group());
            }
        }));
        assertThat(dead).isEmpty();
    }

    private static boolean isPage(Path file) {
        return file.toString().endsWith(".html")
                && !site.resolve(version).relativize(file).startsWith("api");
    }

    @Test
    void onDisk_navigationSearchAndNeighboursWork() throws Exception {
        browser.resize(1400, 900);
        open(onDisk("README.html"));
        click(".sidebar-tree a[href$=\"guide/tutorial.html\"]");
        awaitTrue("location.pathname.endsWith('/guide/tutorial.html')"
                + " && document.querySelectorAll('.highlight-java .highlight span').length > 5");
        awaitTrue("document.querySelector('.sidebar-tree .current-page > a').textContent.trim().length > 0");
        click(".next-page");
        awaitTrue("location.pathname.endsWith('/guide/cookbook.html') && document.readyState === 'complete'");
        click(".toc-tree li li a");
        awaitTrue("location.hash.length > 1 && document.querySelector(':target') !== null");
        searchAndFollow();
        assertQuiet();
    }

    @Test
    void onAServer_navigationAndSearchWork() throws Exception {
        HttpServer server = SimpleFileServer.createFileServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), site, SimpleFileServer.OutputLevel.NONE);
        server.start();
        try {
            String host = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
            browser.resize(1400, 900);
            browser.troubles.clear();
            browser.open(URI.create(host + "index.html"));
            // The start page leads to a release instead of the newer snapshot.
            awaitTrue("location.pathname.endsWith('/" + OLDER + "/README.html')");
            browser.open(URI.create(host + version + "/index.html"));
            awaitTrue("location.pathname.endsWith('/README.html') && document.readyState === 'complete'");
            searchAndFollow();
            assertQuiet();
        } finally {
            browser.open(URI.create("about:blank"));
            server.stop(0);
        }
    }

    @Test
    void versionSwitch_leadsToTheChosenVersion() throws Exception {
        open(onDisk("docs/guide/consuming.html"));
        assertThat(browser.evaluate("[...document.getElementById('version').options].map(each => each.text).join()"))
                .isEqualTo(version + "," + OLDER);
        browser.evaluate("version.value = '" + OLDER + "', version.dispatchEvent(new Event('change')), 'chosen'");
        awaitTrue("document.title === 'The older version'");
    }

    @Test
    void chosenTheme_survivesTheWayToAnotherPage() throws Exception {
        browser.resize(1400, 900);
        browser.prefer("light");
        forgetTheme();
        open(onDisk("docs/guide/consuming.html"));
        String light = browser.evaluate(BACKGROUND);
        click(".theme-toggle");
        awaitTrue(THEME + " === 'dark'");
        String dark = browser.evaluate(BACKGROUND);
        assertThat(dark).isNotEqualTo(light);
        open(onDisk("docs/reference/operators.html"));
        assertThat(browser.evaluate(THEME)).isEqualTo("dark");
        assertThat(browser.evaluate(BACKGROUND)).isEqualTo(dark);
        assertQuiet();
    }

    private static void forgetTheme() throws Exception {
        open(onDisk("README.html"));
        browser.evaluate("localStorage.removeItem('theme'), 'forgotten'");
    }

    @Test
    void samples_haveCopyButtons() throws Exception {
        open(onDisk("docs/guide/cookbook.html"));
        awaitTrue("document.querySelectorAll('div.highlight').length > 10"
                + " && document.querySelectorAll('button.copybtn').length"
                + " === document.querySelectorAll('div.highlight').length");
        assertQuiet();
    }

    @Test
    void linkedSource_isAPage() throws Exception {
        open(onDisk("examples/plain/README.html"));
        click("article a[href$=\"examples/plain/Invoicing.html\"]");
        awaitTrue("document.querySelector('h1')?.textContent.includes('Invoicing.java')"
                + " && document.querySelectorAll('.highlight-java .highlight span').length > 20");
        assertQuiet();
    }

    @Test
    void narrowPage_hasNoSidewaysScrollAndAMenu() throws Exception {
        for (int width : new int[] {360, 390}) {
            browser.resize(width, 740);
            for (String page : List.of(
                    "README.html",
                    "docs/README.html",
                    "docs/reference/operators.html",
                    "docs/guide/console.html",
                    "docs/adr/README.html",
                    "docs/benchmarks/clients.html",
                    "search.html",
                    "CHANGELOG.html")) {
                open(onDisk(page));
                assertThat(browser.evaluate(
                                "innerWidth + ' pixels, beyond them: ' + (document.documentElement.scrollWidth"
                                        + " - document.documentElement.clientWidth)"))
                        .as(page)
                        .isEqualTo(width + " pixels, beyond them: 0");
            }
        }
        String left = "Math.round(document.querySelector('.sidebar-drawer').getBoundingClientRect().left)";
        assertThat(browser.evaluate(left + " < 0")).isEqualTo("true");
        click("#__navigation");
        awaitTrue(left + " === 0");
        assertQuiet();
    }

    @Test
    void pages_inDarkAndLight_keepTheRulesOfAccessibility() throws Exception {
        browser.resize(1400, 900);
        forgetTheme();
        for (String page : List.of("README.html", "docs/guide/cookbook.html", "docs/reference/operators.html")) {
            open(onDisk(page));
            browser.assertAccessible("light");
            browser.assertAccessible("dark");
        }
        browser.prefer("light");
    }

    @Test
    void javadoc_hasDarkModeAndTheVersionSwitch(@TempDir Path sources) throws Exception {
        Path api = makeJavadoc(sources);
        browser.resize(1400, 900);
        browser.prefer("light");
        forgetTheme();
        open(api.resolve("small/Small.html").toUri());
        String light = browser.evaluate(BACKGROUND);
        browser.prefer("dark");
        String dark = browser.evaluate(BACKGROUND);
        assertThat(dark).isNotEqualTo(light);
        click(".site-bar button");
        assertThat(browser.evaluate(BACKGROUND)).isEqualTo(light);
        browser.prefer("light");
        click(".site-bar button");
        open(api.resolve("allclasses-index.html").toUri());
        assertThat(browser.evaluate(BACKGROUND)).isEqualTo(dark);
        awaitTrue("[...document.querySelector('.site-bar select').options].map(each => each.text).join() === '"
                + version + "," + OLDER + "'");
        assertThat(browser.evaluate("document.querySelector('.site-bar a').href"))
                .isEqualTo(onDisk("README.html").toString());
        assertQuiet();
    }

    private static Path makeJavadoc(Path sources) throws IOException {
        Path source = sources.resolve("small/Small.java");
        Files.createDirectories(Objects.requireNonNull(source.getParent()));
        Files.writeString(source, """
                package small;

                /** A class. {@snippet : int a = 1; } */
                public class Small {}
                """);
        Path api = site.resolve(version).resolve("api/weir-small");
        assertThat(ToolProvider.findFirst("javadoc")
                        .orElseThrow()
                        .run(
                                System.out,
                                System.err,
                                "-quiet",
                                "-Xdoclint:none",
                                "--add-stylesheet",
                                ROOT.resolve("docs/site/javadoc.css").toString(),
                                "-d",
                                api.toString(),
                                source.toString()))
                .isZero();
        Files.writeString(
                api.resolve("script-files/script.js"),
                Files.readString(ROOT.resolve("docs/site/javadoc.js")),
                StandardOpenOption.APPEND);
        return api;
    }

    /** A property that the JDK's style sheet lacks would change nothing. */
    @Test
    void javadocStyles_setPropertiesThatTheJdkKnows(@TempDir Path sources) throws Exception {
        String styles = Files.readString(makeJavadoc(sources).resolve("resource-files/stylesheet.css"));
        assertThat(Pattern.compile("(--[a-z-]+):")
                        .matcher(Files.readString(ROOT.resolve("docs/site/javadoc.css")))
                        .results()
                        .map(match -> match.group(1)))
                .allMatch(styles::contains);
    }
}
