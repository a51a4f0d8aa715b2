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

/** Receives the orders of a run and answers them. Confined to the thread of the run. */
public final class OrderDesk implements AutoCloseable {
    private final LiveFolder folder;
    private final Set<String> answered = new HashSet<>();

    private OrderDesk(LiveFolder folder) {
        this.folder = folder;
    }

    /**
     * An order that waits for {@link #answer}. Immutable.
     *
     * @param order null if it cannot be read
     * @param fault why; empty if it can
     */
    public record Waiting(String number, @Nullable Order order, String fault) {}

    /**
     * Opens the folder for orders, private to its owner, after deleting remains of a crashed run.
     *
     * @param results the folder of the campaign
     * @param run which run it is, for people
     * @throws RunFailure if it cannot be made
     */
    public static OrderDesk open(Path results, String run) {
        return open(results, run, "");
    }

    /** Opens a desk that refuses all orders automatically. */
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

    /** A new file name in the folder for orders; files with this prefix are deleted with the folder. */
    public Path numbers() {
        return folder.numbers();
    }

    /**
     * The order that waits for the longest time; null for none.
     *
     * @throws UncheckedIOException if the folder cannot be read; one that is gone holds no orders
     */
    public @Nullable Waiting next() {
        try {
            for (String number : folder.waiting()) {
                if (!answered.contains(number)) {
                    return read(number);
                }
            }
            return null;
        } catch (NoSuchFileException e) { // Withdrawn meanwhile, or the whole folder.
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
     * Answers an order, which no longer waits, even if writing the answer fails.
     *
     * @throws UncheckedIOException if the answer cannot be written
     */
    public void answer(String number, Answer answer) {
        answered.add(number);
        try {
            // Withdrawn meanwhile, so the answer is not read.
            if (Files.deleteIfExists(folder.order(number))) {
                LiveFolder.write(folder.answer(number), answer);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("an order cannot be answered in " + folder.path() + ": " + e, e);
        }
    }

    /** Closes the desk. Waiting orders find no run; unread answers are left for their senders. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(folder.run());
            folder.deleteNumbers();
            if (folder.isAnswered()) {
                return; // A sender still has to read its answer; the next run cleans up.
            }
            folder.delete();
        } catch (IOException | UncheckedIOException ignored) {
            // An order arrived meanwhile, or the folder was cleaned up; the run is over anyway, and the next one cleans
            // up.
        }
    }
}
