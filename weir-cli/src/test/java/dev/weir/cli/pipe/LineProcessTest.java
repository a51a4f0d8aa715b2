package dev.weir.cli.pipe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LineProcessTest {

    @Test
    void answers_belongToTheirLines_withManyUnderWay() throws Exception {
        try (LineProcess process = LineProcess.start("sed 's/^/</; s/$/>/'", 1000)) {
            List<LineProcess.Answer> answers = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                answers.add(process.send(("line " + i).getBytes(UTF_8)));
            }
            for (int i = 0; i < 1000; i++) {
                assertThat(answers.get(i).await()).asString(UTF_8).isEqualTo("<line " + i + ">");
            }
        }
    }

    @Test
    void ordinaryFilters_answerWithoutWaitingForMore() throws Exception {
        for (String filter : List.of("cat", "sed s/a/b/", "tr a b", "tr a b | cut -c 1-3")) {
            try (LineProcess process = LineProcess.start(filter, 1)) {
                for (int i = 0; i < 3; i++) {
                    assertThat(process.send("bab".getBytes(UTF_8)).await())
                            .as(filter)
                            .hasSize(3);
                }
            }
        }
    }

    @Test
    void bytes_passUnchanged_andLinesMayBeEmptyOrLong() throws Exception {
        byte[] all = new byte[255];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) (i < '\n' ? i : i + 1);
        }
        try (LineProcess process = LineProcess.start("cat", 4)) {
            LineProcess.Answer empty = process.send(new byte[0]);
            LineProcess.Answer bytes = process.send(all);
            LineProcess.Answer large = process.send(new byte[1 << 20]);
            assertThat(empty.await()).isEmpty();
            assertThat(bytes.await()).isEqualTo(all);
            assertThat(large.await()).hasSize(1 << 20);
        }
    }

    @Test
    void end_failsWhatIsUnanswered_withStatusAndLastErrors() throws Exception {
        try (LineProcess process = LineProcess.start("head -n 1; echo first >&2; echo second >&2; exit 3", 10)) {
            LineProcess.Answer answered = process.send("a".getBytes(UTF_8));
            LineProcess.Answer unanswered = process.send("b".getBytes(UTF_8));
            assertThat(answered.await()).asString(UTF_8).isEqualTo("a");
            assertThatThrownBy(unanswered::await)
                    .isInstanceOf(LineProcessException.class)
                    .hasMessage("the exec command ended with exit status 3, after 1 answers; it said: first | second");
            assertThatThrownBy(() -> process.send("c".getBytes(UTF_8)).await())
                    .isInstanceOf(LineProcessException.class);
        }
    }

    /** A queue that returns a line only after the process has failed. */
    private static final class HeldLines extends LinkedBlockingQueue<LineProcess.Answer> {

        private static final long serialVersionUID = 1;

        private final transient CompletableFuture<LineProcess> process = new CompletableFuture<>();

        @Override
        public LineProcess.Answer take() throws InterruptedException {
            LineProcess.Answer taken = super.take();
            // The line stays queued until all queued lines have failed.
            LineProcess.Answer next = process.join().send(new byte[0]);
            assertThatThrownBy(next::await).hasMessageContaining("exit status 3");
            return taken;
        }
    }

    /** Regression: a line that was just being written failed only by its timeout. */
    @Test
    void end_whileALineIsTakenToBeWritten_failsThatLineToo() throws Exception {
        HeldLines lines = new HeldLines();
        try (LineProcess process = LineProcess.start("exit 3", 10, Duration.ofSeconds(5), lines)) {
            LineProcess.Answer answer = process.send("a".getBytes(UTF_8));
            lines.process.complete(process);
            assertThatThrownBy(answer::await).hasMessageContaining("exit status 3");
        }
    }

    /** Regression: surplus lines were reported forever. The process must stop reading at the first surplus line. */
    @Test
    void linesThatNobodyAskedFor_areReadNoLonger() throws Exception {
        List<ProcessHandle> others = ProcessHandle.current().children().toList();
        try (LineProcess process = LineProcess.start("yes", 10)) {
            ProcessHandle command = ProcessHandle.current()
                    .children()
                    .filter(child -> !others.contains(child))
                    .findFirst()
                    .orElse(null);
            if (command != null) { // otherwise it has ended already
                command.onExit().get(20, TimeUnit.SECONDS);
            }
            assertThatThrownBy(() -> process.send("a".getBytes(UTF_8)).await())
                    .hasMessageContaining("answered with more lines than it was given");
        }
    }

    @Test
    void commandThatIsNotThere_failsWithWhatTheShellSays() {
        try (LineProcess process = LineProcess.start("no-such-filter-anywhere", 10)) {
            assertThatThrownBy(() -> process.send("a".getBytes(UTF_8)).await())
                    .hasMessageContaining("exit status 127")
                    .hasMessageContaining("no-such-filter-anywhere");
        }
    }

    @Test
    void silence_failsAfterThePatience() {
        try (LineProcess process =
                LineProcess.start("cat >/dev/null", 10, Duration.ofSeconds(1), new LinkedBlockingQueue<>())) {
            assertThatThrownBy(() -> process.send("a".getBytes(UTF_8)).await())
                    .hasMessageContaining("did not answer for 1 s");
        }
    }

    @Test
    void moreAnswersThanLines_fail() {
        try (LineProcess process = LineProcess.start("echo greeting; cat", 10)) {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 10_000; i++) {
                            process.send("a".getBytes(UTF_8)).await();
                        }
                    })
                    .hasMessageContaining("answered with more lines than it was given");
        }
    }

    @Test
    void close_endsAProcessThatIgnoresTheEndOfItsInput() {
        String mark = "8" + System.nanoTime() % 1_000_000;
        LineProcess process = LineProcess.start("sleep " + mark + "; true", 10);
        process.close();
        // A killed process exists until it gets a processor to end on.
        while (isRunning("sleep " + mark)) {
            assertThat(Thread.interrupted()).as("timed out, it still runs").isFalse();
            Thread.onSpinWait();
        }
    }

    private static boolean isRunning(String command) {
        return ProcessHandle.allProcesses()
                .flatMap(each -> each.info().commandLine().stream())
                .anyMatch(line -> line.contains(command));
    }

    @Test
    void refusal_isForValuesThatAreNoLine() {
        assertThat(LineProcess.refusal("a\r".getBytes(UTF_8))).isNull();
        assertThat(LineProcess.refusal("a\nb".getBytes(UTF_8))).contains("line break");
        assertThat(LineProcess.refusal(null)).contains("no value");
    }

    @Test
    void answerThatHasCome_isTaken_howeverLateItIsAskedFor() throws Exception {
        try (LineProcess process = LineProcess.start("cat", 1, Duration.ZERO, new LinkedBlockingQueue<>())) {
            LineProcess.Answer first = process.send("a".getBytes(UTF_8));
            process.send("b".getBytes(UTF_8));
            // The queue has room for one line, so send() returns only after the second line's answer.
            process.send("c".getBytes(UTF_8));

            assertThat(first.await()).asString(UTF_8).isEqualTo("a");
        }
    }
}
