package dev.weir.checks.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the published jars. */
class JarsTest {

    @ParameterizedTest
    @EnumSource
    void jar_saysWhatItIs(Published module) throws IOException {
        try (JarFile jar = new JarFile(module.made(".jar").toFile())) {
            Attributes manifest = jar.getManifest().getMainAttributes();
            assertThat(manifest.getValue(Attributes.Name.IMPLEMENTATION_TITLE))
                    .isEqualTo(module.pom().child("name"));
            assertThat(manifest.getValue(Attributes.Name.IMPLEMENTATION_VERSION))
                    .isEqualTo(Pom.parent().child("version"));
            assertThat(manifest.getValue(Attributes.Name.IMPLEMENTATION_VENDOR)).isEqualTo("The Weir Authors");
            if (jar.getEntry("module-info.class") == null) {
                assertThat(manifest.getValue("Automatic-Module-Name")).isEqualTo(module.moduleName());
            } else {
                assertThat(contents(jar, "module-info.class")).contains(module.moduleName());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void jar_hasLicenceAndNotice(Published module) throws IOException {
        assertHasLicence(module, ".jar");
    }

    @ParameterizedTest
    @EnumSource
    void jar_namesNoPlaceOfTheMachineThatMadeIt(Published module) throws IOException {
        assertNamesNoPlace(module, ".jar");
    }

    static void assertHasLicence(Published module, String ending) throws IOException {
        try (JarFile jar = new JarFile(module.made(ending).toFile())) {
            for (String name : List.of("LICENSE", "NOTICE")) {
                assertThat(contents(jar, "META-INF/" + name))
                        .as(jar.getName() + ": " + name)
                        .isEqualTo(Files.readString(Published.ROOT.resolve(name), StandardCharsets.ISO_8859_1));
            }
        }
    }

    static void assertNamesNoPlace(Published module, String ending) throws IOException {
        List<Pattern> places = Stream.of(Published.ROOT.toString(), System.getProperty("weir.localRepository"))
                .map(JarsTest::asPlace)
                .toList();
        try (JarFile jar = new JarFile(module.made(ending).toFile())) {
            for (JarEntry entry : jar.stream().toList()) {
                String contents = contents(jar, entry.getName());
                for (Pattern place : places) {
                    // An assertion on the text would put all of it into the message.
                    assertThat(place.matcher(contents).find())
                            .as("%s in %s of %s", place, entry, jar.getName())
                            .isFalse();
                }
            }
        }
    }

    /**
     * Matches the path unless it is part of a longer name, such as {@code /weir} in {@code dev/weir}. A single
     * character before it may be the length of a constant in a class file.
     */
    private static Pattern asPlace(String path) {
        return Pattern.compile("(?<![\\w.-]{2})" + Pattern.quote(path), Pattern.CASE_INSENSITIVE);
    }

    @ParameterizedTest
    @CsvSource({
        "/weir,dev/weir/Stage.class,false",
        "/src,https://h/x-1/src,false",
        "/weir,at /weir/weir-stream,true",
        "/weir,file:/Weir/pom.xml,true",
        "/weir,'(A/weir/weir-stream',true"
    })
    void place_isNotTheMiddleOfAName(String place, String contents, boolean found) {
        assertThat(asPlace(place).matcher(contents).find()).isEqualTo(found);
    }

    /** Returns an entry with one character per byte. */
    private static String contents(JarFile jar, String name) throws IOException {
        JarEntry entry = jar.getJarEntry(name);
        assertThat(entry).as(jar.getName() + ": " + name).isNotNull();
        try (var in = jar.getInputStream(entry)) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
