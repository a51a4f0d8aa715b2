package dev.weir.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.BenchException;
import dev.weir.driver.Driver;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverCatalogTest {
    @TempDir
    Path root;

    // Regression: the driver "weir-client-defaults" was not found.
    @Test
    void driverOfEachModule_isFoundByItsName() throws IOException {
        Path drivers = Path.of(System.getProperty("weir.root"), "bench", "drivers");
        int modules = 0;
        try (DirectoryStream<Path> found = Files.newDirectoryStream(drivers, Files::isDirectory)) {
            for (Path module : found) {
                Path description = module.resolve("src/main/resources/weir-driver.properties");
                if (Files.exists(description)) {
                    modules++;
                    assertThat(names(description))
                            .as("%s", description)
                            .isNotEmpty()
                            .allSatisfy(
                                    name -> assertThat(Driver.baseName(name)).isEqualTo(name));
                }
            }
        }
        assertThat(modules).isPositive();
    }

    private static List<String> names(Path description) throws IOException {
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(description)) {
            properties.load(in);
        }
        return List.of(properties.getProperty("drivers").split(",\\s*"));
    }

    /** Returns the catalog of a checkout with one driver, whose library has version 4.4.0. */
    private DriverCatalog catalog(String description) throws IOException {
        Path target = Files.createDirectories(root.resolve("drivers/kafka/target"));
        Files.writeString(
                Files.createDirectories(target.resolve("classes")).resolve("weir-driver.properties"), description);
        Path own = Files.createFile(root.resolve("kafka-clients-4.4.0.jar"));
        Path other = Files.createFile(root.resolve("kafka-clients-extras.jar"));
        Files.writeString(target.resolve("driver.classpath"), own + File.pathSeparator + other);
        return DriverCatalog.below(root);
    }

    private static final String PLAIN = "main = Main\ndrivers = plain\nlibrary = kafka-clients\n";

    @Test
    void driverWithAVersion_hasThatJarInThePlaceOfItsOwn() throws IOException {
        DriverCatalog catalog = catalog(PLAIN + "coordinates = org.apache.kafka:kafka-clients\n");
        Path old = Files.createDirectories(root.resolve("drivers/target/libraries"))
                .resolve("kafka-clients-2.4.0.jar");
        Files.createFile(old);
        for (String name : List.of("plain@2.4.0", "plain-defaults@2.4.0", "plain@2.4.0-defaults")) {
            assertThat(catalog.entry(name).classPath())
                    .as(name)
                    .contains(old.toString(), "kafka-clients-extras.jar")
                    .doesNotContain("4.4.0");
        }
        assertThat(catalog.entry("plain").classPath()).contains("4.4.0");
    }

    @Test
    void versionThatCannotBeHad_isRefusedByName_withTheWayOut() throws IOException {
        DriverCatalog catalog = catalog(PLAIN + "coordinates = org.apache.kafka:kafka-clients\n");
        assertThatThrownBy(() -> catalog.entry("plain@2.4.0"))
                .isInstanceOf(BenchException.class)
                .hasMessageContainingAll(
                        "plain@2.4.0", "org.apache.kafka:kafka-clients:2.4.0", "kafka-clients-2.4.0.jar into");
        for (String none : List.of("plain@", "plain@../x", "plain@newest", "plain@2 -Dx")) {
            assertThatThrownBy(() -> catalog.entry(none))
                    .as(none)
                    .isInstanceOf(BenchException.class)
                    .hasMessageContaining("the text after @ is not a version");
        }
        assertThatThrownBy(() -> catalog.entry("plian@2.4.0")).hasMessageContaining("plain");
    }

    /** A script replaces Maven and fails as if the version did not exist. */
    @Test
    void whatMavenSays_isInTheMessage() throws IOException {
        DriverCatalog catalog = catalog(PLAIN + "coordinates = org.apache.kafka:kafka-clients\n");
        Path maven = Files.writeString(
                root.resolve("mvnw"), "#!/bin/sh\necho '[INFO] something'\necho '[ERROR] Could not find it'\nexit 1\n");
        assertThat(maven.toFile().setExecutable(true)).isTrue();
        assertThatThrownBy(() -> catalog.entry("plain@2.99"))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("which Maven could not fetch: Could not find it; or put");
    }

    @Test
    void driverWhoseLibraryIsOnNoRepository_hasNoOtherVersions() throws IOException {
        assertThatThrownBy(() -> catalog(PLAIN).entry("plain@2.4.0"))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("plain has no other versions");
    }
}
