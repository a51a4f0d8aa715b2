package dev.weir.checks.integration;

import dev.weir.checks.integration.LostLogReader.Seen;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Reads the files of one reader of a {@link RecreationMember}. Immutable; each query reads the files again. */
record RecreationReader(LostLogCase parameters, Path folder) {

    String name() {
        return parameters.toString();
    }

    /** Returns the failure of the reader's run, or null. */
    @Nullable
    String failure() {
        Path file = folder.resolve(name() + ".failed");
        return Files.exists(file) ? text(file) : null;
    }

    Set<Seen> seen(String topic) {
        Set<Seen> seen = new HashSet<>();
        Path file = folder.resolve(name());
        String text = Files.exists(file) ? text(file) : "";
        // The last line may be incomplete.
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
            String[] word = line.split(" ", -1);
            if (word[0].equals(topic)) {
                TopicPartition partition = new TopicPartition(topic, Integer.parseInt(word[1]));
                seen.add(new Seen(partition, Long.parseLong(word[2]), word[3]));
            }
        }
        return seen;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
