package dev.weir.bench.live;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Sends commands to a run in another process and waits for the answers. Confined to one thread. */
public final class OrderSender {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Depth of the search for results folders. */
    private static final int DEPTH = 2;

    private final LiveFolder folder;
    private final LiveFolder.Host host; // the target run, because another run may use the folder later

    private OrderSender(LiveFolder folder, LiveFolder.Host host) {
        this.folder = folder;
        this.host = host;
    }

    /** Returns the folders at or below {@code results} that belong to a current run. */
    public static List<Path> changeable(Path results) {
        if (!Files.isDirectory(results)) {
            return List.of();
        }
        List<Path> found = new ArrayList<>();
        try (Stream<Path> folders = Files.find(results, DEPTH, (path, attributes) -> attributes.isDirectory())) {
            for (Path each : folders.sorted().toList()) {
                if (to(each) != null) {
                    found.add(each);
                }
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + results + ": " + e, e);
        }
    }

    /** Returns a sender to the current run of a results folder; null if there is none. */
    public static @Nullable OrderSender to(Path results) {
        LiveFolder folder = LiveFolder.of(results);
        try {
            LiveFolder.Host host = folder.host();
            return host == null ? null : new OrderSender(folder, host);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + folder.run() + ": " + e, e);
        }
    }

    /**
     * Sends a command and waits until it is executed or the run is over. An interrupt withdraws the command.
     *
     * @return the answer; null if the run ended without one
     */
    public @Nullable Answer send(Order order) throws InterruptedException {
        if (!host.refusal().isEmpty()) {
            return Answer.refused(host.refusal(), 0, List.of());
        }
        String number = String.format(
                Locale.ROOT,
                "%019d-%d",
                System.currentTimeMillis() * TimeUnit.MILLISECONDS.toNanos(1),
                ProcessHandle.current().pid());
        try {
            LiveFolder.write(folder.order(number), order.fields());
            try {
                return answer(number);
            } finally {
                Files.deleteIfExists(folder.order(number));
                Files.deleteIfExists(folder.answer(number));
            }
        } catch (ClosedByInterruptException e) {
            Thread.interrupted();
            throw new InterruptedException();
        } catch (NoSuchFileException e) { // The run has ended and deleted the folder.
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException("the order cannot be left in " + folder.path() + ": " + e, e);
        }
    }

    private @Nullable Answer answer(String number) throws IOException, InterruptedException {
        while (true) {
            // Check this before looking for the answer. A run may end right after it answers.
            boolean goesOn = host.equals(folder.host());
            if (Files.exists(folder.answer(number))) {
                return LiveFolder.JSON.readValue(Files.readAllBytes(folder.answer(number)), Answer.class);
            }
            if (!goesOn) {
                return null;
            }
            LockSupport.parkNanos(LOOK_NANOS);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }
}
