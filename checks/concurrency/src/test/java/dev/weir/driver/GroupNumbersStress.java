package dev.weir.driver;

import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two members note the same record and one further record each, all in one word. Only one member is the first to note
 * the shared record, and no bit is lost.
 */
@JCStressTest
@Outcome(
        id = {"1, 0, 3, 1", "0, 1, 3, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "one of them is the first")
@Outcome(expect = Expect.FORBIDDEN, desc = "both first, none, or a note that is gone")
@State
public class GroupNumbersStress {
    private static final int RECORDS = 64;

    private final GroupNumbers numbers = new GroupNumbers(RECORDS, new ByteBuffer[] {
        ByteBuffer.allocateDirect(GroupNumbers.blockBytes(RECORDS) + Long.BYTES).alignedSlice(Long.BYTES)
    });

    private int first(long own) {
        boolean isFirst = numbers.came(0, 7);
        return numbers.came(0, own) && isFirst ? 1 : 0;
    }

    @Actor
    public void one(IIII_Result result) {
        result.r1 = first(8);
    }

    @Actor
    public void other(IIII_Result result) {
        result.r2 = first(9);
    }

    @Arbiter
    public void after(IIII_Result result) {
        result.r3 = (int) numbers.came();
        result.r4 = (int) numbers.again();
    }

    /** Faulty: reads a word and writes it back with another bit, in two steps. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "one of them is the first")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both first")
    @State
    public static class Broken {
        private long word;

        private int first() {
            long before = word;
            word = before | 1L << 7;
            return (before & 1L << 7) == 0 ? 1 : 0;
        }

        @Actor
        public void one(II_Result result) {
            result.r1 = first();
        }

        @Actor
        public void other(II_Result result) {
            result.r2 = first();
        }
    }
}
