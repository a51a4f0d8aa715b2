package dev.weir.lean;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What real brokers have answered to fetches, and what fuzzers have found, by the names of the files. Stateless. It is
 * written by {@code RecordLeanCorpus} of checks/integration.
 */
public final class Corpus {

    private Corpus() {}

    /** Whole responses, of all versions that lean uses. */
    public static Map<String, byte[]> responses() {
        return read("responses");
    }

    /** What was in them for one partition: batches, the last one perhaps cut off. */
    public static Map<String, byte[]> batches() {
        return read("batches");
    }

    private static Map<String, byte[]> read(String kind) {
        Map<String, byte[]> all = new TreeMap<>();
        try {
            Path folder = Path.of(
                    Objects.requireNonNull(Corpus.class.getResource("internal/wire/FetchFuzzTestInputs/" + kind), kind)
                            .toURI());
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    all.put(file.getFileName().toString(), Files.readAllBytes(file));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        return all;
    }
}
