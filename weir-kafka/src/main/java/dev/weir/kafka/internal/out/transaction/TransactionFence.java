package dev.weir.kafka.internal.out.transaction;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the open transactions of killed or expelled group members. Until then, brokers withhold the committed offsets of
 * the transactions' partitions. Thread-safe; queries run on a separate thread, one at a time.
 */
final class TransactionFence {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionFence.class);

    private static final long ANSWER_SECONDS = 5;

    private final Supplier<Admin> admins;
    private final TransactionPlan plan;
    private final AtomicBoolean asking = new AtomicBoolean();

    /** Creates a fence, which queries the brokers with the admin settings in {@code clientConfig}. */
    TransactionFence(Map<String, ?> clientConfig, TransactionPlan plan) {
        this(() -> Admin.create(ofAdmin(clientConfig)), plan);
    }

    TransactionFence(Supplier<Admin> admins, TransactionPlan plan) {
        this.admins = admins;
        this.plan = plan;
    }

    private static Map<String, Object> ofAdmin(Map<String, ?> clientConfig) {
        Map<String, Object> config = new HashMap<>(clientConfig);
        config.keySet().retainAll(AdminClientConfig.configNames());
        config.remove(AdminClientConfig.CLIENT_ID_CONFIG);
        return config;
    }

    void look() {
        if (asking.compareAndSet(false, true)) {
            Thread.ofVirtual().name("weir-fence").start(() -> {
                try (Admin admin = admins.get()) {
                    fence(admin);
                } catch (ExecutionException | TimeoutException | KafkaException failure) {
                    LOG.warn(
                            "cannot look for transactions of members that are gone, which end by their timeout: {}",
                            failure.toString());
                } catch (InterruptedException impossible) {
                    Thread.currentThread().interrupt();
                } finally {
                    asking.set(false);
                }
            });
        }
    }

    private void fence(Admin admin) throws InterruptedException, ExecutionException, TimeoutException {
        Map<String, String> runs = openOfOtherRuns(admin);
        if (runs.isEmpty()) {
            return;
        }
        // Query the group after the transactions: live runs join the group before they begin a transaction.
        var group = Objects.requireNonNull(admin.describeConsumerGroups(List.of(plan.group()))
                .describedGroups()
                .get(plan.group()));
        Set<String> members = group.get(ANSWER_SECONDS, TimeUnit.SECONDS).members().stream()
                .map(MemberDescription::clientId)
                .collect(Collectors.toSet());
        List<String> gone = withoutMember(runs, members);
        if (!gone.isEmpty()) {
            fence(admin, gone);
        }
    }

    /** Returns the open transactions of other runs. Coordinators that do not respond are left out. */
    private Map<String, String> openOfOtherRuns(Admin admin)
            throws InterruptedException, ExecutionException, TimeoutException {
        return openOfOtherRuns(
                admin.listTransactions(new ListTransactionsOptions().filterStates(Set.of(TransactionState.ONGOING)))
                        .byBrokerId()
                        .get(ANSWER_SECONDS, TimeUnit.SECONDS),
                TimeUnit.SECONDS.toNanos(ANSWER_SECONDS));
    }

    /** Returns the runs with open transactions, by transactional id, from the brokers that respond in time. */
    Map<String, String> openOfOtherRuns(
            Map<Integer, ? extends KafkaFuture<Collection<TransactionListing>>> brokers, long nanos)
            throws InterruptedException {
        Map<String, String> runs = new HashMap<>();
        long deadlineNanos = System.nanoTime() + nanos;
        for (var broker : brokers.entrySet()) {
            try {
                for (TransactionListing open : within(broker.getValue(), deadlineNanos)) {
                    Matcher id = plan.idsOfGroup().matcher(open.transactionalId());
                    if (id.matches() && !id.group(1).equals(plan.run())) {
                        runs.put(open.transactionalId(), id.group(1));
                    }
                }
            } catch (ExecutionException | TimeoutException away) {
                LOG.warn("broker {} does not list its transactions: {}", broker.getKey(), away.toString());
            }
        }
        return runs;
    }

    /**
     * Returns the transactions of runs that have no member in the group.
     *
     * @param runs the runs by transactional id
     * @param members the client ids of the group's members; each client id ends with the id of the member's run
     */
    static List<String> withoutMember(Map<String, String> runs, Set<String> members) {
        List<String> gone = new ArrayList<>();
        runs.forEach((id, run) -> {
            if (members.stream().noneMatch(member -> member.endsWith("-" + run))) {
                gone.add(id);
            }
        });
        return gone;
    }

    private void fence(Admin admin, List<String> gone) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(ANSWER_SECONDS);
        for (var answer : admin.fenceProducers(gone).fencedProducers().entrySet()) {
            try {
                var ignored = within(answer.getValue(), deadlineNanos);
                LOG.info(
                        "ended the transaction {} of a member that is not in the group {} any more",
                        answer.getKey(),
                        plan.group());
            } catch (ExecutionException | TimeoutException later) {
                LOG.warn("the transaction {} of a dead member is not ended yet: {}", answer.getKey(), later.toString());
            }
        }
    }

    private static <T> T within(KafkaFuture<T> answer, long deadlineNanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        return answer.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    }
}
