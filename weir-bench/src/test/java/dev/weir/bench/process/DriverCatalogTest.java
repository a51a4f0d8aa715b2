package dev.weir.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.driver.Driver;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class DriverCatalogTest {

    // "weir-client-defaults" was looked for as "weir-client" from the day on which that end of a name got its meaning.
    @Test
    void driverOfEachModule_isFoundByItsName() throws IOException {
        Path drivers = Path.of(System.getProperty("weir.root"), "drivers");
        int modules = 0;
        try (DirectoryStream<Path> found = Files.newDirectoryStream(drivers, Files::isDirectory)) {
            for (Path module : found) {
                Path description = module.resolve("src/main/resources/weir-driver.properties");
                if (Files.exists(description)) {
                    modules++;
                    assertThat(names(description))
                            .as("%s", description)
                            .isNotEmpty()
                            .allSatisfy(name ->
                                    assertThat(Driver.withoutDefaults(name)).isEqualTo(name));
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
}
