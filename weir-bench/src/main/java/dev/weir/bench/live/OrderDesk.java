package dev.weir.bench.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Takes the orders of a run, and answers them. Confined to the thread of the run. */
public final class OrderDesk implements AutoCloseable {
    private final LiveFolder folder;

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
     * Opens the folder for orders, which only its owner may enter; what a run that died left of it goes.
     *
     * @param results the folder of the campaign
     * @param run which run it is, for people
     * @throws UncheckedIOException if it cannot be made
     */
    public static OrderDesk open(Path results, String run) {
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
            LiveFolder.write(folder.run(), LiveFolder.Host.ofThisProcess(run));
            return new OrderDesk(folder);
        } catch (IOException e) {
            throw new UncheckedIOException("orders cannot be taken in " + folder.path() + ": " + e, e);
        }
    }

    /** The order that waits for the longest time; null for none. */
    public @Nullable Waiting next() {
        try {
            List<String> waiting = folder.waiting();
            return waiting.isEmpty() ? null : read(waiting.getFirst());
        } catch (IOException e) {
            throw new UncheckedIOException("orders cannot be read from " + folder.path() + ": " + e, e);
        }
    }

    private Waiting read(String number) throws IOException {
        try {
            Map<String, Object> fields =
                    LiveFolder.JSON.readValue(Files.readAllBytes(folder.order(number)), new TypeReference<>() {});
            return new Waiting(number, Order.of(fields), "");
        } catch (JsonProcessingException | IllegalArgumentException e) {
            return new Waiting(number, null, String.valueOf(e.getMessage()));
        }
    }

    /** Tells what became of an order, which waits no longer. */
    public void answer(String number, Answer answer) {
        try {
            // Withdrawn meanwhile, nobody reads what became of it.
            if (Files.deleteIfExists(folder.order(number))) {
                LiveFolder.write(folder.answer(number), answer);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("an order cannot be answered in " + folder.path() + ": " + e, e);
        }
    }

    /** Takes no more orders. Those that wait find no run any more; what was answered is left to who asked. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(folder.run());
            if (folder.isAnswered()) {
                return; // Whoever asked still has to read; the next run clears up.
            }
            folder.delete();
        } catch (IOException e) {
            throw new UncheckedIOException("orders cannot be ended in " + folder.path() + ": " + e, e);
        }
    }
}
