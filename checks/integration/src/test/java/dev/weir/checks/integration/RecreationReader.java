package dev.weir.checks.integration;

import dev.weir.checks.integration.LostLogReader.Seen;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Reads the files in which one reader of a {@link RecreationMember} notes its records. Immutable; each query reads the
 * files again.
 *
 * @param parameters the case; null for the official client
 */
record RecreationReader(String name, @Nullable LostLogCase parameters, Path folder) {

    /** A note: what was read, and when. */
    private record Note(long millis, Seen seen) {}

    static RecreationReader weir(LostLogCase parameters, Path folder) {
        return new RecreationReader(parameters.toString(), parameters, folder);
    }

    /** The official client. */
    static RecreationReader plain(String protocol, Path folder) {
        return new RecreationReader("plain-" + protocol, null, folder);
    }

    String protocol() {
        return parameters == null ? name.substring("plain-".length()) : parameters.protocol();
    }

    /** The failure that ended its run, or null if there was none. */
    @Nullable
    String failure() {
        Path file = folder.resolve(name + ".failed");
        return Files.exists(file) ? text(file) : null;
    }

    Set<Seen> seen(String topic) {
        return notes().stream()
                .map(Note::seen)
                .filter(seen -> seen.partition().topic().equals(topic))
                .collect(Collectors.toSet());
    }

    /**
     * Returns the longest time without a record of the partition, from {@code fromMillis} until the last noted record.
     */
    long longestGapMillis(TopicPartition partition, long fromMillis) {
        long longest = 0;
        long last = fromMillis;
        for (Note note : notes()) {
            if (note.millis >= fromMillis && note.seen.partition().equals(partition)) {
                longest = Math.max(longest, note.millis - last);
                last = note.millis;
            }
        }
        return longest;
    }

    private List<Note> notes() {
        List<Note> notes = new ArrayList<>();
        Path file = folder.resolve(name);
        String text = Files.exists(file) ? text(file) : "";
        // The last line may be half a line.
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
            String[] word = line.split(" ", -1);
            notes.add(new Note(
                    Long.parseLong(word[0]),
                    new Seen(
                            new TopicPartition(word[1], Integer.parseInt(word[2])), Long.parseLong(word[3]), word[4])));
        }
        return notes;
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
        return name;
    }
}
