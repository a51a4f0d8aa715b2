package dev.weir.bench.live;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.weir.bench.RunFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Receives the commands to a run and answers them. Confined to the run's thread. */
public final class OrderDesk implements AutoCloseable {
    private final LiveFolder folder;
    private final Set<String> answered = new HashSet<>();

    private OrderDesk(LiveFolder folder) {
        this.folder = folder;
    }

    /**
     * A command that has not been answered yet by {@link #answer}. Immutable.
     *
     * @param order the command; null if it cannot be read
     * @param fault reason why the command cannot be read; empty if it can be read
     */
    public record Waiting(String number, @Nullable Order order, String fault) {}

    /**
     * Opens the folder for commands, which only its owner can access. First deletes the remains of a crashed run.
     *
     * @param results the folder of the campaign
     * @param run name of the run, for people
     * @throws RunFailure if the folder cannot be created
     */
    public static OrderDesk open(Path results, String run) {
        return open(results, run, "");
    }

    /** Opens a desk that refuses all commands automatically. */
    public static OrderDesk refusing(Path results, String run, String why) {
        return open(results, run, why);
    }

    private static OrderDesk open(Path results, String run, String refusal) {
        LiveFolder folder = LiveFolder.of(results);
        try {
            folder.delete();
            if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
                Files.createDirectory(
                        folder.path(),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } else {
                Files.createDirectory(folder.path());
            }
            LiveFolder.write(folder.run(), LiveFolder.Host.ofThisProcess(run, refusal));
            return new OrderDesk(folder);
        } catch (IOException e) {
            throw new RunFailure("orders cannot be taken in " + folder.path() + ": " + e);
        }
    }

    /**
     * Returns a new file name in the folder for commands. Files whose names begin with this name are deleted when the
     * desk is closed.
     */
    public Path numbers() {
        return folder.numbers();
    }

    /**
     * Returns the command that has waited longest; null if no command waits or the folder no longer exists.
     *
     * @throws UncheckedIOException if the folder cannot be read
     */
    public @Nullable Waiting next() {
        try {
            for (String number : folder.waiting()) {
                if (!answered.contains(number)) {
                    return read(number);
                }
            }
            return null;
        } catch (NoSuchFileException e) { // The command was withdrawn, or the folder was deleted.
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException("orders cannot be read from " + folder.path() + ": " + e, e);
        }
    }

    private Waiting read(String number) throws IOException {
        try {
            Map<String, Object> fields =
                    LiveFolder.JSON.readValue(Files.readAllBytes(folder.order(number)), new TypeReference<>() {});
            return fields == null
                    ? new Waiting(number, null, "an order has fields, and this one is null")
                    : new Waiting(number, Order.of(fields), "");
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException | IllegalArgumentException e) {
            return new Waiting(number, null, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Answers a command. The command stops waiting, even if the answer cannot be written.
     *
     * @throws UncheckedIOException if the answer cannot be written
     */
    public void answer(String number, Answer answer) {
        answered.add(number);
        try {
            // A withdrawn command has no reader for the answer.
            if (Files.deleteIfExists(folder.order(number))) {
                LiveFolder.write(folder.answer(number), answer);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("an order cannot be answered in " + folder.path() + ": " + e, e);
        }
    }

    /**
     * Closes the desk. Senders of waiting commands notice that the run is over. Unread answers are left for their
     * senders.
     */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(folder.run());
            folder.deleteNumbers();
            if (folder.isAnswered()) {
                return; // The sender has not read the answer yet. The next run deletes it.
            }
            folder.delete();
        } catch (IOException | UncheckedIOException ignored) {
            // A command arrived during the close, or the folder is already deleted. The next run cleans up.
        }
    }
}
