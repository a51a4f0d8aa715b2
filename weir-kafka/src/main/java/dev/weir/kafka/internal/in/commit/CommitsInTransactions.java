package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;

/** Commits offsets in the same transactions as the output, for exactly-once delivery. Confined to the owner thread. */
final class CommitsInTransactions extends DeliveryCommits {

    private final TransactionGate transactions;

    CommitsInTransactions(OffsetCommits commits, TransactionGate transactions) {
        super(commits);
        this.transactions = transactions;
    }

    @Override
    public String guarantee() {
        return "exactly once";
    }

    @Override
    public void begin(
            Consumer<?, ?> client,
            PartitionAssignment assignment,
            java.util.function.Consumer<List<AssignedPartition>> reopen,
            OwnerThread owner,
            OwnerClock clock) {
        transactions.begin(client, commits, assignment, reopen, owner, clock);
    }

    @Override
    void commitDue(List<AssignedPartition> assigned) {
        transactions.commitIfDue();
    }

    @Override
    public long nanosUntilDue() {
        return transactions.nanosUntilDue();
    }

    @Override
    public void commitNow(Collection<AssignedPartition> partitions, long timeoutNanos) {
        transactions.commitNow(timeoutNanos);
    }

    @Override
    public boolean commitsStarts() {
        return true;
    }

    @Override
    public void releasing(Collection<AssignedPartition> revoked) {
        transactions.releasing(revoked);
    }

    @Override
    public void serveRelease() {
        transactions.commitIfDue();
    }

    @Override
    public boolean isSettled() {
        return transactions.isSettled();
    }

    @Override
    public void topicRecreated(String name) {
        transactions.topicRecreated(name);
    }

    @Override
    public void lost() {
        transactions.lost();
    }
}
