package dev.weir.bench.environment;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchFolderTest {

    private static final Path COPY = Path.of("workloads", "copy.yaml");

    @TempDir
    private Path root;

    private Path checkout;
    private Path archive;

    @BeforeEach
    void createBothLayouts() throws Exception {
        checkout = root.resolve("checkout");
        archive = root.resolve("archive");
        for (Path folder : new Path[] {checkout.resolve("bench"), archive}) {
            Files.createDirectories(folder.resolve("workloads"));
            Files.writeString(folder.resolve(COPY), "name: copy");
        }
    }

    @Test
    void shippedFile_isFoundInACheckoutAndInAnArchive() {
        assertThat(BenchFolder.find(COPY, checkout))
                .isEqualTo(checkout.resolve("bench").resolve(COPY));
        assertThat(BenchFolder.find(COPY, archive)).isEqualTo(archive.resolve(COPY));
    }

    @Test
    void existingFile_isPreferredToTheShippedOne() throws Exception {
        Path own = Files.writeString(root.resolve("copy.yaml"), "name: own");
        assertThat(BenchFolder.find(own, checkout)).isEqualTo(own);
    }

    @Test
    void fileThatIsNowhere_isReturnedAsGiven() {
        Path absent = Path.of("workloads", "absent.yaml");
        assertThat(BenchFolder.find(absent, checkout)).isEqualTo(absent);
    }
}
