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
 * Fetch responses of real brokers and inputs found by fuzzers, by file name. {@code RecordLeanCorpus} of
 * checks/pipelines recorded the responses. Stateless.
 */
public final class Corpus {

    private Corpus() {}

    /** Returns whole responses, in all versions that lean clients use. */
    public static Map<String, byte[]> responses() {
        return read("responses");
    }

    /** Returns the batches of one partition in the real brokers' responses. The last batch may be incomplete. */
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
