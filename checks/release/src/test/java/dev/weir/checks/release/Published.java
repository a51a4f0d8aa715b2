package dev.weir.checks.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The modules published as jars, in addition to the parent and the BOM. Has only constants. */
enum Published {
    STREAM,
    LEAN,
    KAFKA,
    METRICS,
    CONSOLE,
    TESTKIT,
    OTEL,
    JDBC,
    SPRING("spring-boot-starter");

    /** The artifact's name after {@code weir-}. */
    private final String suffix;

    Published() {
        this.suffix = word();
    }

    Published(String suffix) {
        this.suffix = suffix;
    }

    static final Path ROOT = Path.of(System.getProperty("weir.root"));

    /** Returns the name of the artifact and of its folder. */
    String artifact() {
        return "weir-" + suffix;
    }

    String moduleName() {
        return "dev.weir." + word();
    }

    private String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    Pom pom() {
        return Pom.of(ROOT.resolve(artifact()).resolve("pom.xml"));
    }

    /** Returns a file of the build in {@code target}. {@code ending} follows the name and the version. */
    Path file(String ending) {
        return ROOT.resolve(artifact())
                .resolve("target")
                .resolve(artifact() + "-" + Pom.parent().child("version") + ending);
    }

    /** Returns a file like {@link #file}, which must exist. */
    Path made(String ending) {
        Path file = file(ending);
        assertThat(file).as("made by ./mvnw package -pl " + artifact()).matches(Files::isRegularFile, "is there");
        return file;
    }
}
