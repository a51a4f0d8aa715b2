package dev.weir.lean.share;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/** Workers that finish each record after its own processing time. */
final class SimulatedWork extends ScriptedReceiver {

    private static final long MILLI = 1_000_000;

    private final SimulatedGroup group;
    private final Random random;
    private final int workers;
    private final ArrayDeque<ScriptedRecord> queue = new ArrayDeque<>();
    private final Map<String, ScriptedRecord> newest = new HashMap<>();
    private int busy;
    private @Nullable ShareMember member;

    /** Number of ACCEPT outcomes of each record, by partition and offset. */
    final Map<String, Integer> done = new HashMap<>();

    long accepted;
    long renewed;
    int starved;
    boolean slow;

    /** Processing time of all records; 0 for random times. */
    long fixedMillis;

    /** True if the member asked to be woken by a finished record. */
    boolean wakes;

    SimulatedWork(SimulatedGroup group, Random random, int workers) {
        this.group = group;
        this.random = random;
        this.workers = workers;
    }

    private static String place(int partition, long offset) {
        return partition + "@" + offset;
    }

    boolean isOpen(int partition, long offset) {
        ScriptedRecord locked = newest.get(place(partition, offset));
        return locked != null && locked.isOpen();
    }

    boolean isDone(int partition, long offset) {
        return done.containsKey(place(partition, offset));
    }

    long turn(long now) {
        return Objects.requireNonNull(member).turn(now);
    }

    void at(long now) {
        Objects.requireNonNull(member).at(now);
    }

    void of(ShareMember newMember) {
        member = newMember;
    }

    int acquired() {
        return acquired.size();
    }

    int open() {
        return (int) acquired.stream().filter(ScriptedRecord::isOpen).count();
    }

    private void work() {
        while (busy < workers && !queue.isEmpty()) {
            ScriptedRecord next = queue.poll();
            if (!next.isOpen()) {
                continue;
            }
            next.taken = true;
            busy++;
            long millis =
                    fixedMillis > 0 ? fixedMillis : slow && random.nextInt(40) == 0 ? 5_000 : 1 + random.nextInt(10);
            group.at(group.now() + millis * MILLI, () -> finish(next));
        }
    }

    private void finish(ScriptedRecord locked) {
        busy--;
        starved += queue.isEmpty() ? 1 : 0;
        if (locked.isOpen()) {
            locked.outcome = random.nextInt(20) == 0 ? AcknowledgeType.RELEASE : AcknowledgeType.ACCEPT;
            locked.done = true;
            if (locked.outcome == AcknowledgeType.ACCEPT) {
                done.merge(place(locked.partition(), locked.offset()), 1, Integer::sum);
            }
            wakes |= Objects.requireNonNull(member).ended(locked);
        }
        work();
    }

    @Override
    public ScriptedRecord receive(ConsumerRecord<byte[], byte[]> record) {
        ScriptedRecord locked = super.receive(record);
        queue.add(locked);
        newest.put(place(locked.partition(), locked.offset()), locked);
        return locked;
    }

    @Override
    public void acquiredAll() {
        work();
    }

    @Override
    public void skipped(String topic, int partition, long from, long to) {
        throw new AssertionError("skipped " + topic + "-" + partition + "@" + from);
    }

    @Override
    public void passedBy(int records) {
        queue.removeIf(locked -> !locked.isOpen());
    }

    @Override
    public void confirmed(AcknowledgeType type, int records, long nanos) {
        accepted += type == AcknowledgeType.ACCEPT ? records : 0;
        renewed += type == AcknowledgeType.RENEW ? records : 0;
    }

    @Override
    public void fatal(KafkaException fault) {
        throw fault;
    }
}
