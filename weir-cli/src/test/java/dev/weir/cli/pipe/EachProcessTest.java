package dev.weir.cli.pipe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EachProcessTest {

    @Test
    void value_passesThroughTheCommand_evenIfItIsLong() throws Exception {
        byte[] value = new byte[1 << 20];
        assertThat(EachProcess.run("cat", value)).isEqualTo(value);
    }

    /** The value is larger than the pipe's buffer, so the write to the command blocks. */
    @Test
    void interrupt_endsACommandThatDoesNotReadItsInput() throws Exception {
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Thread handler = Thread.ofPlatform().daemon().start(() -> {
            try {
                EachProcess.run("sleep 600", new byte[1 << 20]);
                ended.complete(new AssertionError("the command ended by itself"));
            } catch (Throwable thrown) {
                ended.complete(thrown);
            }
        });
        handler.interrupt();
        try {
            assertThat(ended.get(20, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        } finally {
            ProcessHandle.current().children().forEach(Shell::kill);
        }
    }

    /** Regression: the call waited for the end of standard error, past any timeout or cancel. */
    @Test
    void failedCommand_whoseChildKeepsItsErrorsOpen_failsWithoutThem() {
        CompletableFuture<byte[]> result = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                result.complete(EachProcess.run("sleep 60 & sleep 1; exit 3", new byte[0]));
            } catch (Throwable thrown) {
                result.completeExceptionally(thrown);
            }
        });
        assertThat(result)
                .failsWithin(20, TimeUnit.SECONDS)
                .withThrowableThat()
                .havingCause()
                .withMessage("the command ended with exit status 3");
    }

    /** The record must not be written with an empty value. */
    @Test
    void outputThatCannotBeRead_isAFailure() throws IOException {
        InputStream broken = InputStream.nullInputStream();
        broken.close();
        assertThat(EachProcess.reading(broken)).failsWithin(20, TimeUnit.SECONDS);
    }
}
