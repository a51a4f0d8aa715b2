package dev.weir.checks.integration;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** One broker for all campaigns of a class, whose files go with it. */
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
