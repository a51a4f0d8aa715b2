package dev.weir.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.bench.live.Answer;
import dev.weir.bench.live.OrderDesk;
import dev.weir.bench.live.TimelineEntry;
import dev.weir.cli.CommandHarness;
import dev.weir.command.terminal.ExitCode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class BenchModifyCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path results;

    private final CommandHarness harness = new CommandHarness();

    private int modify(String... order) {
        String[] args = new String[order.length + 4];
        args[0] = "bench";
        args[1] = "modify";
        args[2] = "--run";
        args[3] = results.toString();
        System.arraycopy(order, 0, args, 4, order.length);
        return harness.run(args);
    }

    /** Waits for one command. Accepts it if {@code refusal} is empty. */
    private static CompletableFuture<Void> answering(OrderDesk desk, String refusal) {
        return CompletableFuture.runAsync(() -> {
            OrderDesk.Waiting waiting = desk.next();
            while (waiting == null) {
                LockSupport.parkNanos(1_000_000);
                waiting = desk.next();
            }
            TimelineEntry entry = new TimelineEntry(
                    1_250, Objects.requireNonNull(waiting.order()), 0, Map.of("producerRate", "0", "work", "0ms"));
            desk.answer(
                    waiting.number(),
                    refusal.isEmpty() ? Answer.accepted(List.of(entry)) : Answer.refused(refusal, 1_250, List.of()));
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --join        | 2            | 2
            --leave       | 1            | 1
            --rebalance   |              | true
            --kill        | 1            | 1
            --freeze      | 1 for 2s     | 1 for 2.000s
            --cut         | 2 for 500ms  | 2 for 0.500s
            --silence     | 1 for 1s     | 1 for 1.000s
            --delay       | 200ms for 5s | 0.200s for 5.000s
            --lose-broker | 1 for 3s     | 1 for 3.000s
            --fill-disk   | 1 for 3s     | 1 for 3.000s
            --slow-disk   | 1 by 50ms for 3s | 1 by 0.050s for 3.000s
            --backlog     | 10s          | 10.000s
            """)
    void fault_isOrderedAsATimelineHasIt(String option, @Nullable String value, String recorded) throws Exception {
        try (OrderDesk desk = OrderDesk.open(results, "run")) {
            CompletableFuture<Void> run = answering(desk, "");
            int status = value == null ? modify(option) : modify(option, value);
            assertThat(status).as(harness.err()).isEqualTo(ExitCode.DONE);
            run.join();
        }
        JsonNode line = JSON.readTree(harness.out());
        assertThat(line.path("timeline").path(0).path(option.substring(2)).asText())
                .isEqualTo(recorded);
    }

    @Test
    void order_thatIsDone_isPrintedAsOneObject() throws Exception {
        try (OrderDesk desk = OrderDesk.open(results, "run")) {
            CompletableFuture<Void> run = answering(desk, "");
            assertThat(modify("--set", "producerRate=0", "--set", "work=0ms"))
                    .as(harness.err())
                    .isEqualTo(ExitCode.DONE);
            run.join();
        }
        JsonNode line = JSON.readTree(harness.out());
        assertThat(line.path("status").asText()).isEqualTo("accepted");
        assertThat(line.path("applied").path("work").asText()).isEqualTo("0ms");
        assertThat(line.path("atMs").asLong()).isEqualTo(1_250);
        assertThat(line.path("timeline").path(0).path("at").asText()).isEqualTo("1.250s");
        assertThat(line.path("timeline")
                        .path(0)
                        .path("set")
                        .path("producerRate")
                        .asText())
                .isEqualTo("0");
    }

    @Test
    void order_thatIsRefused_isWrongUsage_withItsError() throws Exception {
        try (OrderDesk desk = OrderDesk.open(results, "run")) {
            CompletableFuture<Void> run = answering(desk, "work cannot be set: there are no handlers");
            assertThat(modify("--set", "work=5ms")).isEqualTo(ExitCode.WRONG_USAGE);
            run.join();
        }
        JsonNode line = JSON.readTree(harness.out());
        assertThat(line.path("status").asText()).isEqualTo("refused");
        assertThat(line.path("error").asText()).isEqualTo("work cannot be set: there are no handlers");
        assertThat(harness.err()).contains("refused: work cannot be set");
    }

    @Test
    void withoutARun_itIsTheWorkThatFailed() {
        assertThat(modify("--drain")).isEqualTo(ExitCode.FAILED);
        assertThat(harness.err()).contains("no run that can be changed is running in", "weir bench run FILE");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --set                | rate=5                     | there is no key rate to set: there are producerRate, work, consumers
            --set                | producerRate               | --set takes KEY=VALUE
            --set                | client.max.poll.record=5   | did you mean max.poll.records?
            --set                | client.max.poll.records=x  | client.max.poll.records=x cannot be set: Invalid value x
            --set                | client.group.id=x          | client.group.id cannot be set: it is the run's own
            --pause              | ten                        | pause must be a time such as
            --restart-consumers  | half                       | restart-consumers must be a number of consumers
            """)
    void mistake_isUsage_whetherThereIsARunOrNot(String option, String value, String message) {
        assertThat(modify(option, value)).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains(message);
    }

    @Test
    void twoOrders_orNone_areUsage() {
        assertThat(modify("--drain", "--discard-stats")).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(modify()).isEqualTo(ExitCode.WRONG_USAGE);
    }
}
