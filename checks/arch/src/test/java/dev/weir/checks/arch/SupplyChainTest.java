package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Checks that downloads are pinned, that each bundled script has a notice, and that the project has an address for
 * reports.
 */
class SupplyChainTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    /** Scripts that a build unpacks from a webjar, with the property for their version. */
    private static final Map<String, String> UNPACKED = Map.of("Chart.js", "chartjs.version");

    private static final Pattern UNPACKS = Pattern.compile("<artifactItem>\\s*<groupId>org\\.webjars");

    private static final Pattern SHA_256 = Pattern.compile("[0-9a-f]{64}");

    @Test
    void wrapper_checksTheMavenThatItDownloads() throws IOException {
        Properties wrapper = new Properties();
        try (Reader in = Files.newBufferedReader(ROOT.resolve(".mvn/wrapper/maven-wrapper.properties"))) {
            wrapper.load(in);
        }
        assertThat(wrapper.getProperty("distributionUrl")).startsWith("https://");
        assertThat(wrapper.getProperty("distributionSha256Sum")).matches(SHA_256);
        assertThat(Files.readString(ROOT.resolve("mvnw"))).contains("sha256sum -c");
    }

    @Test
    void packagesOfTheSite_arePinnedWithHashes() throws IOException {
        List<String> packages = Files.readAllLines(ROOT.resolve("docs/site/requirements.txt")).stream()
                .filter(line -> line.matches("\\w.*"))
                .toList();
        assertThat(packages).hasSizeGreaterThan(10).allMatch(line -> line.matches("[\\w.-]+==\\S+ \\\\"));
        String pinned = Files.readString(ROOT.resolve("docs/site/requirements.txt"));
        assertThat(pinned.split("\n(?=\\w)", -1))
                .filteredOn(part -> !part.startsWith("#"))
                .allMatch(part -> part.contains("--hash=sha256:"));
        assertThat(Files.readAllLines(ROOT.resolve("docs/site/requirements.in")))
                .filteredOn(line -> !line.startsWith("#"))
                .allSatisfy(name -> assertThat(pinned).contains("\n" + name + "=="));
        assertThat(Files.readString(ROOT.resolve("checks/site.sh"))).contains("--require-hashes");
    }

    @Test
    void scriptsOfOthers_standInTheNotice() throws IOException {
        String notice = Files.readString(ROOT.resolve("NOTICE"));
        String parent = Files.readString(ROOT.resolve("pom.xml"));
        UNPACKED.forEach((name, property) -> {
            Matcher version =
                    Pattern.compile("<" + Pattern.quote(property) + ">([^<]+)<").matcher(parent);
            assertThat(version.find()).as(property).isTrue();
            assertThat(notice).contains(name + " " + version.group(1) + " (https://");
        });
        assertThat(notice).contains("@kurkle/color", "The MIT License\n");
        assertThat(unpacked()).as("webjars that a build unpacks").hasSize(UNPACKED.size());
    }

    /** Returns the modules whose build unpacks a script from a webjar. */
    private static List<Path> unpacked() throws IOException {
        return WeirModule.foldersOfBuild().stream()
                .map(folder -> ROOT.resolve(folder).resolve("pom.xml"))
                .filter(pom -> UNPACKS.matcher(text(pom)).find())
                .toList();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void reports_haveAnAddress_andTheAuditIsOnItsPage() throws IOException {
        assertThat(Files.readString(ROOT.resolve("SECURITY.md"))).contains("Report a vulnerability", "checks/audit.sh");
        assertThat(ROOT.resolve("checks/audit.sh")).isExecutable();
        assertThat(Files.readString(ROOT.resolve("docs/internals/dependencies.md")))
                .contains("## Known vulnerabilities", "`checks/audit.sh`");
    }
}
