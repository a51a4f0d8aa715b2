package dev.weir.bench.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class OrderDeskTest {
    private static final Order ORDER = new Order.Set(Map.of("producerRate", "5"));

    @TempDir
    private Path results;

    private static OrderDesk.Waiting awaitOrder(OrderDesk desk) {
        OrderDesk.Waiting waiting = desk.next();
        while (waiting == null) {
            LockSupport.parkNanos(1_000_000);
            waiting = desk.next();
        }
        return waiting;
    }

    private Future<Optional<Answer>> sent(Order order) {
        CompletableFuture<Optional<Answer>> answer = new CompletableFuture<>();
        OrderSender sender = Objects.requireNonNull(OrderSender.to(results));
        Thread.ofVirtual().start(() -> {
            try {
                answer.complete(Optional.ofNullable(sender.send(order)));
            } catch (InterruptedException | RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    @Test
    void order_comesToTheRun_andItsAnswerBack() throws Exception {
        try (OrderDesk desk = OrderDesk.open(results, "run")) {
            assertThat(OrderSender.changeable(results)).containsExactly(results);
            assertThat(desk.next()).isNull();
            Future<Optional<Answer>> answer = sent(ORDER);
            OrderDesk.Waiting waiting = awaitOrder(desk);
            assertThat(waiting.order()).isEqualTo(ORDER);
            List<TimelineEntry> timeline = List.of(new TimelineEntry(12, ORDER, 1, Map.of("producerRate", "5")));
            desk.answer(waiting.number(), Answer.accepted(timeline));
            Answer told = answer.get(60, TimeUnit.SECONDS).orElseThrow();
            assertThat(told.wasAccepted()).isTrue();
            assertThat(told.applied()).containsEntry("producerRate", "5");
            assertThat(told.atMs()).isEqualTo(12);
            assertThat(told.timeline()).isEqualTo(timeline);
            assertThat(desk.next()).isNull();
        }
        assertThat(results.resolve("live")).doesNotExist();
        assertThat(OrderSender.to(results)).isNull();
    }

    @Test
    void orderThatIsNone_isTold_andStopsNobody() throws Exception {
        try (OrderDesk desk = OrderDesk.open(results, "run")) {
            Files.writeString(results.resolve("live/1.order"), "{\"set\": {\"speed\": 5}}");
            Files.writeString(results.resolve("live/2.order"), "no JSON");
            OrderDesk.Waiting first = awaitOrder(desk);
            assertThat(first.order()).isNull();
            assertThat(first.fault()).contains("there is no key speed to set");
            desk.answer(first.number(), Answer.refused(first.fault(), 3, List.of()));
            OrderDesk.Waiting second = awaitOrder(desk);
            assertThat(second.number()).isEqualTo("2");
            assertThat(second.order()).isNull();
            desk.answer(second.number(), Answer.refused(second.fault(), 3, List.of()));
            Files.writeString(results.resolve("live/3.order"), "null");
            assertThat(awaitOrder(desk).fault()).contains("this one is null");
        }
    }

    @Test
    void runThatEnds_endsTheWaitForItsAnswer() throws Exception {
        Future<Optional<Answer>> answer;
        try (OrderDesk desk = OrderDesk.open(results, "run")) {
            answer = sent(ORDER);
            assertThat(awaitOrder(desk).order()).isEqualTo(ORDER);
        }
        assertThat(answer.get(60, TimeUnit.SECONDS)).isEmpty();
    }

    /** The second run deletes the first run's command without an answer. The sender must stop waiting. */
    @Test
    void runThatFollows_endsTheWaitForTheOneBefore() throws Exception {
        OrderDesk first = OrderDesk.open(results, "run 1");
        Future<Optional<Answer>> answer = sent(ORDER);
        assertThat(awaitOrder(first).order()).isEqualTo(ORDER);
        try (OrderDesk second = OrderDesk.open(results, "run 2")) {
            assertThat(answer.get(60, TimeUnit.SECONDS)).isEmpty();
            assertThat(second.next()).isNull();
        }
    }

    @Test
    void folderThatSomebodyDeleted_isNoTroubleForItsRun() throws Exception {
        OrderDesk desk = OrderDesk.open(results, "run");
        Files.delete(results.resolve("live/run.json"));
        Files.delete(results.resolve("live"));
        assertThat(desk.next()).isNull();
        desk.answer("1", Answer.refused("", 3, List.of()));
        desk.close();
        OrderDesk next = OrderDesk.open(results, "run");
        Files.createDirectories(results.resolve("live/folder/in it"));
        next.close();
        assertThat(OrderSender.to(results)).isNull();
    }

    @Test
    void interrupt_withdrawsTheOrder() throws Exception {
        try (OrderDesk desk = OrderDesk.open(results, "run")) {
            OrderSender sender = Objects.requireNonNull(OrderSender.to(results));
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> sender.send(ORDER)).isInstanceOf(InterruptedException.class);
            assertThat(desk.next()).isNull();
        }
    }

    @Test
    void runWhoseProcessDied_takesNoOrders_andTheNextOneClearsUp() throws Exception {
        OrderDesk.open(results, "run").close();
        Files.createDirectory(results.resolve("live"));
        Files.writeString(
                results.resolve("live/run.json"),
                "{\"pid\":" + ProcessHandle.current().pid() + ",\"startedAtMillis\":5,\"run\":\"another process\"}");
        Files.writeString(results.resolve("live/1.order"), "{}");
        assertThat(OrderSender.to(results)).isNull();
        try (OrderDesk desk = OrderDesk.open(results, "run")) {
            assertThat(desk.next()).isNull();
        }
    }

    @Test
    void folder_isItsOwnersOnly() throws Exception {
        try (OrderDesk desk = OrderDesk.open(results, "run")) {
            assertThat(desk.next()).isNull();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(results.resolve("live"))))
                    .isEqualTo("rwx------");
        }
    }
}
