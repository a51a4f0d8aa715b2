package dev.weir.command.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("replaces standard error and the default handler of the process")
class OutOfMemoryTest {

    /** The message may quote a record. */
    @Test
    void otherFailureThatNobodyCatches_cannotControlTheTerminal() {
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        PrintStream err = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try {
            System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
            OutOfMemory.watch(false);
            Thread.getDefaultUncaughtExceptionHandler()
                    .uncaughtException(
                            Thread.currentThread(),
                            new IllegalStateException("\u001b[2J\u009b\nweir: forged, from http://me:hunter2@host/"));
        } finally {
            System.setErr(err);
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("IllegalStateException: \\u001b[2J\\u009b", "\n  weir: forged", "[hidden]@host")
                .doesNotContain("\u001b", "\u009b", "hunter2", "\nweir: forged");
    }
}
