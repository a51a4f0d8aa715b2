package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsResult;
import org.apache.kafka.clients.admin.FenceProducersResult;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ListTransactionsResult;
import org.apache.kafka.clients.admin.MemberAssignment;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.admin.internals.CoordinatorKey;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.apache.kafka.common.utils.internals.ProducerIdAndEpoch;
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
                new TreeMap<>(Map.of(1, silent, 2, disconnected, 3, lists(dead.transactionalId(0))));
        assertThat(fence.openOfOtherRuns(brokers, TimeUnit.MILLISECONDS.toNanos(1)))
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

    private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();

    // The brokers' answers
    private KafkaFuture<Collection<TransactionListing>> open = lists();
    private KafkaFuture<ConsumerGroupDescription> group = members();
    private final Map<CoordinatorKey, KafkaFuture<ProducerIdAndEpoch>> fenced = new ConcurrentHashMap<>();

    /** Holds back the list of open transactions. */
    private CountDownLatch listed = new CountDownLatch(0);

    private final TransactionFence looking = new TransactionFence(this::admin, plan);

    private Admin admin() {
        return (Admin) Proxy.newProxyInstance(
                Admin.class.getClassLoader(), new Class<?>[] {Admin.class}, (self, method, args) -> {
                    return switch (method.getName()) {
                        case "listTransactions" -> {
                            calls.add("list " + ((ListTransactionsOptions) args[0]).filteredStates());
                            listed.await();
                            yield created(
                                    ListTransactionsResult.class,
                                    KafkaFuture.class,
                                    KafkaFuture.completedFuture(Map.of(1, open)));
                        }
                        case "describeConsumerGroups" -> {
                            calls.add("describe " + args[0]);
                            yield new DescribeConsumerGroupsResult(Map.of("orders", group));
                        }
                        case "fenceProducers" -> {
                            calls.add("fence "
                                    + ((Collection<?>) args[0])
                                            .stream()
                                                    .map(String::valueOf)
                                                    .sorted()
                                                    .toList());
                            yield created(FenceProducersResult.class, Map.class, fenced);
                        }
                        default -> {
                            calls.add(method.getName());
                            yield null;
                        }
                    };
                });
    }

    /** Calls a constructor that only Kafka's own classes may call. */
    private static <T> T created(Class<T> type, Class<?> parameter, Object argument) throws Exception {
        Constructor<T> constructor = type.getDeclaredConstructor(parameter);
        constructor.setAccessible(true);
        return constructor.newInstance(argument);
    }

    private static KafkaFuture<ConsumerGroupDescription> members(String... clientIds) {
        List<MemberDescription> members = Stream.of(clientIds)
                .map(id -> new MemberDescription(
                        "member of " + id,
                        Optional.empty(),
                        Optional.empty(),
                        id,
                        "/h",
                        new MemberAssignment(Set.of()),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()))
                .toList();
        return KafkaFuture.completedFuture(new ConsumerGroupDescription(
                "orders",
                false,
                members,
                "",
                GroupType.CONSUMER,
                GroupState.STABLE,
                Node.noNode(),
                Set.of(),
                Optional.empty(),
                Optional.empty()));
    }

    private static <T> KafkaFuture<T> fails() {
        KafkaFutureImpl<T> failed = new KafkaFutureImpl<>();
        failed.completeExceptionally(new DisconnectException());
        return failed;
    }

    private List<String> callsUntilClose() throws InterruptedException {
        List<String> until = new ArrayList<>();
        do {
            until.add(String.valueOf(calls.poll(20, TimeUnit.SECONDS)));
        } while (!until.getLast().equals("close") && !until.getLast().equals("null"));
        return until;
    }

    @Test
    void look_endsTheTransactionsOfRunsWithoutAMember() throws Exception {
        TransactionPlan dead = ofGroup("orders");
        TransactionPlan live = ofGroup("orders");
        String first = dead.transactionalId(0);
        String second = dead.transactionalId(1);
        open = lists(plan.transactionalId(0), first, live.transactionalId(0), second);
        group = members(live.clientId("theirs"), plan.clientId("mine"));
        fenced.put(CoordinatorKey.byTransactionalId(first), fails());
        fenced.put(CoordinatorKey.byTransactionalId(second), KafkaFuture.completedFuture(ProducerIdAndEpoch.NONE));
        looking.look();
        assertThat(callsUntilClose())
                .containsExactly(
                        "list [" + TransactionState.ONGOING + "]",
                        "describe [orders]",
                        "fence [" + first + ", " + second + "]",
                        "close");
    }

    @Test
    void look_withoutTransactionsOfOtherRuns_doesNotAskForTheGroup() throws Exception {
        open = lists(plan.transactionalId(0));
        looking.look();
        assertThat(callsUntilClose()).hasSize(2);
    }

    @Test
    void look_whileAllRunsHaveMembers_endsNothing() throws Exception {
        TransactionPlan live = ofGroup("orders");
        open = lists(live.transactionalId(0));
        group = members(live.clientId("theirs"));
        looking.look();
        assertThat(callsUntilClose()).hasSize(3).noneMatch(call -> call.startsWith("fence"));
    }

    /** Nobody knows whether the run is dead. */
    @Test
    void look_withoutAnAnswerAboutTheGroup_endsNothing_andLooksAgainLater() throws Exception {
        open = lists(ofGroup("orders").transactionalId(0));
        group = fails();
        looking.look();
        assertThat(callsUntilClose()).hasSize(3).noneMatch(call -> call.startsWith("fence"));
        String call = null;
        for (int looks = 0; looks < 10_000 && call == null; looks++) {
            looking.look();
            call = calls.poll(2, TimeUnit.MILLISECONDS);
        }
        assertThat(call).startsWith("list");
    }

    @Test
    void look_whileAnotherOneRuns_doesNothing() throws Exception {
        listed = new CountDownLatch(1);
        looking.look();
        assertThat(calls.poll(20, TimeUnit.SECONDS)).startsWith("list");
        looking.look();
        listed.countDown();
        assertThat(callsUntilClose()).containsExactly("close");
        assertThat(calls).isEmpty();
    }
}
