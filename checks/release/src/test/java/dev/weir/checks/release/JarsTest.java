package dev.weir.checks.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The jars of what is published. */
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
        List<String> places = List.of(Published.ROOT.toString(), System.getProperty("weir.localRepository"));
        try (JarFile jar = new JarFile(module.made(ending).toFile())) {
            for (JarEntry entry : jar.stream().toList()) {
                String contents = contents(jar, entry.getName());
                for (String place : places) {
                    // Not by an assertion on the text, which would be shown.
                    assertThat(contents.toLowerCase(Locale.ROOT).contains(place.toLowerCase(Locale.ROOT)))
                            .as("%s in %s of %s", place, entry, jar.getName())
                            .isFalse();
                }
            }
        }
    }

    /** Each byte a character. */
    private static String contents(JarFile jar, String name) throws IOException {
        JarEntry entry = jar.getJarEntry(name);
        assertThat(entry).as(jar.getName() + ": " + name).isNotNull();
        try (var in = jar.getInputStream(entry)) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
