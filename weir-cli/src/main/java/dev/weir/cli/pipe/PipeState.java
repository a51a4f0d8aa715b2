package dev.weir.cli.pipe;

import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.JsonLines;
import dev.weir.command.terminal.Terminal;
import dev.weir.console.ConsumerState;
import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ShareHandle;
import dev.weir.stream.RunningPipeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The state file of a pipe. Another thread rewrites it every second, and once more at the end. Each version replaces
 * the file at once, so readers always see a complete file.
 */
final class PipeState implements AutoCloseable {

    private final @Nullable Path file;
    private final RunningPipeline running;
    private final Terminal terminal;
    private final ScheduledExecutorService writer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("weir-state").factory());

    /** Confined to the writer thread. */
    private boolean failed;

    private PipeState(@Nullable Path file, RunningPipeline running, Terminal terminal) {
        this.file = file;
        this.running = running;
        this.terminal = terminal;
    }

    /** Refuses a file that cannot be written. Called before anything starts. */
    static void checkWritable(Path file) {
        if (file.toAbsolutePath().getParent() == null) {
            throw CliFailure.badValue("--state", file, "a file, not the root folder");
        }
        // A move replaces even /dev/null.
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw CliFailure.badValue("--state", file, "a file, not a device or a folder");
        }
        try {
            replace(file, JsonLines.object(json -> json.writeStringField("state", "starting"), true));
        } catch (IOException e) {
            throw CliFailure.badValue(
                    "--state",
                    file,
                    "a file that can be written, in a folder that exists (" + CliFailure.reason(e) + ")");
        }
    }

    static PipeState start(@Nullable Path file, RunningPipeline running, Terminal terminal) {
        PipeState state = new PipeState(file, running, terminal);
        if (file != null) {
            var ignored = state.writer.scheduleAtFixedRate(state::write, 0, 1, TimeUnit.SECONDS);
        }
        return state;
    }

    /**
     * Writes the state. A failure, for example a full disk, ends neither the pipe nor the schedule. The first of
     * several failures is reported.
     */
    private void write() {
        Path target = Objects.requireNonNull(file);
        try {
            replace(target, text());
            failed = false;
        } catch (Throwable e) {
            if (!failed) {
                String why = e instanceof IOException io ? CliFailure.reason(io) : e.toString();
                terminal.note("weir: cannot write --state=" + target + ": " + why);
            }
            failed = true;
        }
    }

    private byte[] text() {
        for (ShareHandle member : running.handles(ShareHandle.class)) {
            return text(member.snapshot());
        }
        ConsumerHandle consumer = running.handles(ConsumerHandle.class).getFirst();
        return text(consumer.dump(), consumer.health());
    }

    private static byte[] text(ShareHandle.Snapshot member) {
        return JsonLines.object(
                json -> {
                    json.writeStringField("at", Instant.now().toString());
                    json.writeStringField("reads", "share group");
                    json.writeNumberField("lag", member.lag());
                    json.writeNumberField("in_hand", member.inHand());
                    json.writeNumberField("waiting", member.waiting());
                    json.writeObjectFieldStart("share");
                    ShareSummary.writeCounts(json, member);
                    json.writeEndObject();
                    json.writeStringField("limiter", member.limit().sentence());
                },
                true);
    }

    private static void replace(Path file, byte[] text) throws IOException {
        Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
        Path written = folder.resolve(
                "." + file.getFileName() + "." + ProcessHandle.current().pid() + ".tmp");
        try {
            Files.write(written, text);
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(written);
        }
    }

    static byte[] text(ConsumerDump dump, ConsumerHealth health) {
        return JsonLines.object(json -> ConsumerState.write(json, dump, health), true);
    }

    /** Writes the final state. Does not delete the file. */
    @Override
    public void close() {
        if (file != null) {
            writer.execute(this::write);
        }
        writer.close();
    }
}
