package dev.weir.lean.share;

import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Work ends while the member starts to wait for it. The member is woken, or does not wait. */
@JCStressTest
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the member sees it")
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the member is woken")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "woken for what it sees")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "the member waits for what has come")
@State
public class FinishedRecordsStress {

    private final FinishedRecords ended = new FinishedRecords();

    @Actor
    public void worker(ZZ_Result result) {
        result.r1 = ended.add(new StubRecord(0));
    }

    @Actor
    public void member(ZZ_Result result) {
        ended.wakeFrom(1);
        result.r2 = ended.count() >= 1;
    }

    /** Faulty: checks for finished work before it marks itself as waiting. */
    @JCStressTest
    @Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the member sees it")
    @Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the member is woken")
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "woken for what it sees")
    @Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "the member waits for what has come")
    @State
    public static class Broken {

        private final FinishedRecords ended = new FinishedRecords();

        @Actor
        public void worker(ZZ_Result result) {
            result.r1 = ended.add(new StubRecord(0));
        }

        @Actor
        public void member(ZZ_Result result) {
            result.r2 = ended.count() >= 1;
            ended.wakeFrom(1);
        }
    }

    /** One thread finishes records while the member takes them. Each record is taken once. */
    @JCStressTest
    @Outcome(id = "2, 3, 3", expect = Expect.ACCEPTABLE, desc = "both were counted, and taken once")
    @Outcome(id = "1, 3, 3", expect = Expect.ACCEPTABLE, desc = "the first was taken before the second came")
    @Outcome(expect = Expect.FORBIDDEN, desc = "one is lost, or taken twice")
    @State
    public static class Taking {

        private final FinishedRecords ended = new FinishedRecords();
        private int first;

        public Taking() {
            boolean ignored = ended.add(new StubRecord(1));
        }

        @Actor
        public void worker(III_Result result) {
            ended.wakeFrom(2);
            result.r1 = ended.add(new StubRecord(2)) ? 2 : 1;
        }

        @Actor
        public void member() {
            ended.takeAll(locked -> first += (int) locked.offset());
        }

        @Arbiter
        public void arbiter(III_Result result) {
            ended.takeAll(locked -> first += (int) locked.offset());
            result.r2 = first;
            result.r3 = first + ended.count();
        }
    }

    private record StubRecord(long offset) implements LockedRecord {

        @Override
        public boolean isGone() {
            return false;
        }

        @Override
        public String topic() {
            return "t";
        }

        @Override
        public int partition() {
            return 0;
        }

        @Override
        public boolean isOf(ConsumerRecord<byte[], byte[]> other) {
            return false;
        }

        @Override
        public boolean giveBack() {
            return false;
        }

        @Override
        public boolean lose() {
            return false;
        }

        @Override
        public boolean isAtRisk() {
            return false;
        }

        @Override
        public boolean isLastDelivery() {
            return false;
        }

        @Override
        public boolean isOffered() {
            return true;
        }

        @Override
        public AcknowledgeType outcome() {
            return AcknowledgeType.ACCEPT;
        }
    }
}
