package dev.weir.checks.integration;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Base of benchmark tests. All campaigns of a class share one broker, whose files are deleted at the end. */
abstract class BenchTestBase {

    static BenchAtCluster bench;

    @TempDir
    static Path folder;

    @BeforeAll
    static void startCluster() {
        bench = new BenchAtCluster(folder);
    }

    @AfterAll
    static void stopCluster() {
        bench.close();
    }
}
