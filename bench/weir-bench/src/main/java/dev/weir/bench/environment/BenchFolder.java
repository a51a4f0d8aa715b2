package dev.weir.bench.environment;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the folder that contains {@code drivers}, {@code workloads} and {@code environments}. Stateless. */
public final class BenchFolder {

    private BenchFolder() {}

    /** Returns {@code bench} in the checkout {@code root}, or {@code root} itself if it is an unpacked archive. */
    public static Path in(Path root) {
        Path bench = root.resolve("bench");
        return Files.isDirectory(bench) ? bench : root;
    }

    /** Looks for a file as given, and then in the bench folder of {@code root}. */
    public static Path find(Path file, Path root) {
        Path shipped = in(root).resolve(file);
        return !Files.exists(file) && Files.exists(shipped) ? shipped : file;
    }
}
