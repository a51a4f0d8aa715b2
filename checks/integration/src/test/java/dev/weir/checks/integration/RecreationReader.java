package dev.weir.checks.integration;

import dev.weir.checks.integration.LostLogReader.Seen;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A {@link RecreationMember} and what it has noted so far. Confined to the test's thread, which closes it. */
final class RecreationReader implements AutoCloseable {

    /** A note: what was read, and when. */
    private record Note(long millis, Seen seen) {}

    private final String name;
    private final @Nullable LostLogCase parameters;
    private final Path file;
    private final String[] arguments;

    private PipeProcess process;

    private RecreationReader(String name, @Nullable LostLogCase parameters, Path file, String... arguments) {
        this.name = name;
        this.parameters = parameters;
        this.file = file;
        this.arguments = arguments;
        this.process = launch();
    }

    /** Weir's, as the case says. */
    static RecreationReader weir(String bootstrapServers, List<String> topics, LostLogCase parameters, Path folder) {
        String name = parameters.toString();
        return start(bootstrapServers, topics, name, parameters, folder, "weir", name.replace('-', ' '));
    }

    /** The official client. */
    static RecreationReader plain(String bootstrapServers, List<String> topics, String protocol, Path folder) {
        return start(bootstrapServers, topics, "plain-" + protocol, null, folder, "plain", protocol);
    }

    private static RecreationReader start(
            String bootstrapServers,
            List<String> topics,
            String name,
            @Nullable LostLogCase parameters,
            Path folder,
            String kind,
            String how) {
        Path file = folder.resolve(name);
        String group = topics.getFirst() + "-" + name;
        return new RecreationReader(
                name, parameters, file, bootstrapServers, group, String.join(",", topics), file.toString(), kind, how);
    }

    private PipeProcess launch() {
        return PipeProcess.startMain(RecreationMember.class.getName(), 128, arguments);
    }

    /** The case, or null of the official client. */
    @Nullable
    LostLogCase parameters() {
        return parameters;
    }

    String protocol() {
        return parameters == null ? arguments[5] : parameters.protocol();
    }

    void freeze() {
        process.signal("STOP");
    }

    void thaw() {
        process.signal("CONT");
    }

    /** Drains and ends; {@link #startAgain} goes on. */
    void stop() {
        process.signal("TERM");
        int status = process.exitCode(Duration.ofSeconds(40));
        if (parameters != null && status != 128 + 15 && status != 0) {
            throw new AssertionError(this + " ended with " + status + ": " + process.err());
        }
    }

    void startAgain() {
        process.close();
        process = launch();
    }

    /** The last line of standard error of one that has ended, or null while it runs. */
    @Nullable
    String failure() {
        return process.isAlive() ? null : "ended: " + process.err().strip();
    }

    Set<Seen> seen(String topic) {
        return notes().stream()
                .map(Note::seen)
                .filter(seen -> seen.partition().topic().equals(topic))
                .collect(Collectors.toSet());
    }

    /** The longest time without a record of the partition, from a moment until the last one that is noted. */
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
        try {
            List<Note> notes = new ArrayList<>();
            String text = Files.exists(file) ? Files.readString(file) : "";
            // The last line may be half a line.
            for (String line :
                    text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
                String[] word = line.split(" ", -1);
                notes.add(new Note(
                        Long.parseLong(word[0]),
                        new Seen(
                                new TopicPartition(word[1], Integer.parseInt(word[2])),
                                Long.parseLong(word[3]),
                                word[4])));
            }
            return notes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.close();
    }

    @Override
    public String toString() {
        return name;
    }
}
