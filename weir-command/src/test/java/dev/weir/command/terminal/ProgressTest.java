package dev.weir.command.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProgressTest {

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final AtomicLong nowNanos = new AtomicLong(Long.MAX_VALUE - 1); // The clock may wrap.

    @Test
    void update_onATerminal_rewritesOneLineFourTimesASecond() {
        try (Progress progress = progress(true)) {
            for (int i = 0; i < 100; i++) {
                nowNanos.addAndGet(10_000_000);
                progress.update(() -> "at work");
            }
        }
        assertThat(printed().split("at work", -1)).hasSize(4 + 1);
        assertThat(printed()).doesNotContain("\n").endsWith("\r\033[K");
    }

    @Test
    void update_inALog_printsALineEveryFiveSeconds() {
        AtomicInteger asked = new AtomicInteger();
        try (Progress progress = progress(false)) {
            for (int i = 0; i < 110; i++) {
                nowNanos.addAndGet(100_000_000);
                progress.update(() -> "line " + asked.incrementAndGet());
            }
        }
        assertThat(printed().lines()).containsExactly("line 1", "line 2");
    }

    @Test
    void note_whileAStatusIsShown_keepsTheStatusBelow() {
        Terminal terminal = terminal(true);
        terminal.status("at work");
        terminal.note("by the way");
        assertThat(printed()).contains("\r\033[Kby the way\n").endsWith("at work\033[K\033[?7h");
    }

    @Test
    void await_returnsTheResultAndShowsTheStatusMeanwhile() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        try (Progress progress = new Progress(terminal(true), System::nanoTime)) {
            String result = progress.await(work, () -> {
                work.complete("done");
                return "at work";
            });
            assertThat(result).isEqualTo("done");
        }
        assertThat(printed()).contains("at work");
    }

    private Progress progress(boolean live) {
        return new Progress(terminal(live), nowNanos::get);
    }

    private Terminal terminal(boolean live) {
        return new Terminal(new PrintStream(err, true, StandardCharsets.UTF_8), live);
    }

    private String printed() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
