package dev.weir.checks.release;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the additional files of the profile {@code release}. Runs only with that profile. */
class ReleaseTest {

    /** Matches a link to another file of the Javadoc, without its anchor. */
    private static final Pattern LINK = Pattern.compile("(?:href|src)=\"(?![a-z]+:)([^\"#?]+)");

    private static final List<String> JARS = List.of(".jar", "-sources.jar", "-javadoc.jar");

    @ParameterizedTest
    @EnumSource
    void sources_areThoseOfTheModule(Published module) throws IOException {
        try (JarFile jar = new JarFile(module.made("-sources.jar").toFile())) {
            assertThat(names(jar)).contains(module.moduleName().replace('.', '/') + "/package-info.java");
        }
        JarsTest.assertHasLicence(module, "-sources.jar");
    }

    @ParameterizedTest
    @EnumSource
    void javadoc_isOfThePublicPackages(Published module) throws IOException {
        try (JarFile jar = new JarFile(module.made("-javadoc.jar").toFile())) {
            assertThat(names(jar))
                    .contains("index.html")
                    .anyMatch(name -> name.endsWith("/package-summary.html"))
                    .noneMatch(name -> name.contains("/internal/"));
        }
        JarsTest.assertNamesNoPlace(module, "-javadoc.jar");
    }

    private static List<String> names(JarFile jar) {
        return jar.stream().map(JarEntry::getName).toList();
    }

    @ParameterizedTest
    @EnumSource
    void sbom_namesWhatComesAlong_andNothingOfTheTests(Published module) throws IOException {
        JsonNode sbom =
                new ObjectMapper().readTree(module.made("-cyclonedx.json").toFile());
        assertThat(sbom.path("bomFormat").asText()).isEqualTo("CycloneDX");
        assertThat(sbom.at("/metadata/component/name").asText()).isEqualTo(module.artifact());
        List<String> components = new ArrayList<>();
        sbom.path("components")
                .forEach(component -> components.add(component.path("name").asText()));
        assertThat(components).doesNotContain("junit-jupiter", "assertj-core");
        if (module != Published.STREAM) {
            assertThat(components).contains("kafka-clients");
        }
        for (JsonNode component : sbom.path("components")) {
            assertThat(component.path("licenses"))
                    .as("licence of " + component.path("name"))
                    .isNotEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void checksums_areThoseOfTheFiles(Published module) throws Exception {
        for (String ending : JARS) {
            for (var algorithm :
                    Map.of("SHA-256", ".sha256", "SHA-512", ".sha512").entrySet()) {
                byte[] digest =
                        MessageDigest.getInstance(algorithm.getKey()).digest(Files.readAllBytes(module.made(ending)));
                assertThat(Files.readString(module.made(ending + algorithm.getValue()))
                                .strip())
                        .isEqualTo(HexFormat.of().formatHex(digest));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void signatures_areThereIfAKeyIsGiven_andHold(Published module) throws Exception {
        assertSigned(module.file(".pom.asc"), Published.ROOT.resolve(module.artifact() + "/pom.xml"));
        for (String ending : List.of(".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json")) {
            assertSigned(module.file(ending + ".asc"), module.made(ending));
        }
    }

    /** The parent and the BOM are uploaded as well. */
    @Test
    void parentAndBom_areSignedIfAKeyIsGiven() throws Exception {
        String version = Pom.parent().child("version");
        assertSigned(
                Published.ROOT.resolve("target/weir-parent-" + version + ".pom.asc"),
                Published.ROOT.resolve("pom.xml"));
        assertSigned(
                Published.ROOT.resolve("weir-bom/target/weir-bom-" + version + ".pom.asc"),
                Published.ROOT.resolve("weir-bom/pom.xml"));
    }

    @Test
    void archive_isSignedIfAKeyIsGiven() throws Exception {
        Path archive = Archive.file();
        assertSigned(archive.resolveSibling(archive.getFileName() + ".asc"), archive);
    }

    /** The key is known, because Maven passes command-line properties to the tests. */
    private static void assertSigned(Path signature, Path signed) throws Exception {
        String key = System.getProperty("gpg.keyname");
        assertThat(Files.exists(signature)).as("%s is there", signature).isEqualTo(key != null);
        if (key != null) {
            // The last word of gpg's status line is the fingerprint of the signing key.
            assertThat(gpg("--status-fd", "1", "--verify", signature.toString(), signed.toString()))
                    .containsPattern("\\[GNUPG:] VALIDSIG .* " + fingerprint(key) + "\\R");
        }
    }

    private static String fingerprint(String key) throws Exception {
        return gpg("--with-colons", "--list-keys", key)
                .lines()
                .filter(line -> line.startsWith("fpr:"))
                .findFirst()
                .orElseThrow()
                .split(":", -1)[9];
    }

    private static String gpg(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("gpg", "--batch"));
        command.addAll(List.of(arguments));
        Process gpg = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(gpg.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(gpg.waitFor()).as(said).isZero();
        return said;
    }

    @ParameterizedTest
    @EnumSource
    void javadoc_hasNoDeadLink_andADarkStylesheet(Published module) throws IOException {
        try (JarFile jar = new JarFile(module.made("-javadoc.jar").toFile())) {
            List<String> names = names(jar);
            assertThat(names).anyMatch(name -> name.endsWith("/javadoc.css"));
            List<String> dead = new ArrayList<>();
            for (String page :
                    names.stream().filter(name -> name.endsWith(".html")).toList()) {
                String text = new String(jar.getInputStream(jar.getEntry(page)).readAllBytes(), StandardCharsets.UTF_8);
                LINK.matcher(text)
                        .results()
                        .map(link -> Path.of(page).resolveSibling(link.group(1)).normalize())
                        .filter(target -> !names.contains(target.toString()))
                        .forEach(target -> dead.add(page + ": " + target));
            }
            assertThat(dead).isEmpty();
        }
    }

    /** The checksum file must have the format for {@code sha256sum -c}. */
    @Test
    void archive_hasItsChecksumBesideIt() throws Exception {
        Path archive = Archive.file();
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(archive));
        assertThat(Files.readString(archive.resolveSibling(archive.getFileName() + ".sha256"))
                        .strip())
                .isEqualTo(HexFormat.of().formatHex(digest) + "  " + archive.getFileName());
    }

    /** An additional jar, such as a test jar, would also be uploaded. */
    @ParameterizedTest
    @EnumSource
    void module_hasNoJarsBesideThese(Published module) throws IOException {
        Path target = Published.ROOT.resolve(module.artifact()).resolve("target");
        try (Stream<Path> files = Files.list(target)) {
            assertThat(files.filter(file -> file.toString().endsWith(".jar")))
                    .containsExactlyInAnyOrderElementsOf(
                            JARS.stream().map(module::file).toList());
        }
    }

    @Test
    void modules_thatAreNotPublished_leaveNothingToUpload() throws IOException {
        List<String> published =
                Stream.of(Published.values()).map(Published::artifact).toList();
        List<Path> made;
        try (Stream<Path> files = Files.find(
                Published.ROOT, 4, (file, attributes) -> file.toString().endsWith("-javadoc.jar"))) {
            made = files.map(Published.ROOT::relativize).toList();
        }
        assertThat(made)
                .hasSameSizeAs(published)
                .allSatisfy(file -> assertThat(file.getName(0))
                        .hasToString(file.getFileName().toString().replaceAll("-\\d.*", ""))
                        .matches(folder -> published.contains(folder.toString())));
    }
}
