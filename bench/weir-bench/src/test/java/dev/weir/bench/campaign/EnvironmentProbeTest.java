package dev.weir.bench.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class EnvironmentProbeTest {

    /** Users may unpack the archive in a repository of their own, whose commits say nothing about Weir. */
    @Test
    void commit_ofAFolderInsideAnotherRepository_isUnknown() {
        Path checkout = Path.of(System.getProperty("weir.root"));
        assertThat(EnvironmentProbe.commit(checkout.resolve("bench"))).isEqualTo("unknown");
    }
}
