package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

class TransactionFenceTest {

    private final TransactionPlan plan = ofGroup("orders");
    private final TransactionFence fence = new TransactionFence(Map.of(), plan);

    private static TransactionPlan ofGroup(String group) {
        return TransactionPlan.ofNewRun(group, null, Duration.ofMillis(100), 1, 1, Duration.ofSeconds(30));
    }

    private static KafkaFuture<Collection<TransactionListing>> lists(String... ids) {
        return KafkaFuture.completedFuture(List.of(ids).stream()
                .map(id -> new TransactionListing(id, 1, TransactionState.ONGOING))
                .toList());
    }

    // Regression: one unresponsive broker kept open transactions on all other brokers.
    @Test
    void brokersWithoutAnAnswer_doNotHideTheOthers() throws Exception {
        TransactionPlan dead = ofGroup("orders");
        KafkaFutureImpl<Collection<TransactionListing>> disconnected = new KafkaFutureImpl<>();
        disconnected.completeExceptionally(new DisconnectException());
        KafkaFutureImpl<Collection<TransactionListing>> silent = new KafkaFutureImpl<>();
        Map<Integer, KafkaFuture<Collection<TransactionListing>>> brokers =
                new TreeMap<>(Map.of(1, disconnected, 2, lists(dead.transactionalId(0)), 3, silent));
        assertThat(fence.openOfOtherRuns(brokers, TimeUnit.MILLISECONDS.toNanos(200)))
                .containsExactly(Map.entry(dead.transactionalId(0), dead.run()));
    }

    @Test
    void transactionsOfThisRun_andOfOtherGroups_areLeftAlone() throws Exception {
        var brokers =
                Map.of(1, lists(plan.transactionalId(1), ofGroup("invoices").transactionalId(0), "by-hand"));
        assertThat(fence.openOfOtherRuns(brokers, TimeUnit.SECONDS.toNanos(10))).isEmpty();
    }

    /** A member's client id ends with its run's id, whatever client id the user has set. */
    @Test
    void transactionsOfRunsThatHaveAMember_areLeftAlone() {
        Map<String, String> runs = Map.of("orders-weir-aa-0", "aa", "orders-weir-bb-0", "bb", "orders-weir-bb-1", "bb");
        assertThat(TransactionFence.withoutMember(runs, Set.of("weir-aa", "mine-cc")))
                .containsExactlyInAnyOrder("orders-weir-bb-0", "orders-weir-bb-1");
        assertThat(TransactionFence.withoutMember(runs, Set.of("x-aa", "y-bb"))).isEmpty();
        assertThat(TransactionFence.withoutMember(runs, Set.of())).hasSize(3);
    }
}
