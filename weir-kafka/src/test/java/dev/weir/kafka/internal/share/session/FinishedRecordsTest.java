package dev.weir.kafka.internal.share.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.share.session.ScriptedReceiver.ScriptedLoan;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FinishedRecordsTest {

    private final FinishedRecords ended = new FinishedRecords();

    @Test
    void records_areTakenOnce_theLastOneFirst() {
        List<Long> taken = new ArrayList<>();
        ended.takeAll(loan -> taken.add(loan.offset()));
        assertThat(taken).isEmpty();
        assertThat(ended.count()).isZero();
        for (long offset = 0; offset < 3; offset++) {
            assertThat(ended.add(ScriptedLoan.at(offset))).as("nobody waits").isFalse();
        }
        assertThat(ended.count()).isEqualTo(3);
        ended.takeAll(loan -> taken.add(loan.offset()));
        ended.takeAll(loan -> taken.add(loan.offset()));
        assertThat(taken).containsExactly(2L, 1L, 0L);
        assertThat(ended.count()).isZero();
    }

    /** The count begins again with what is taken. */
    @Test
    void member_isWokenFromTheCountThatIsWorthIt() {
        ended.wakeFrom(2);
        assertThat(ended.add(ScriptedLoan.at(0))).isFalse();
        assertThat(ended.add(ScriptedLoan.at(1))).isTrue();
        assertThat(ended.add(ScriptedLoan.at(2))).isTrue();
        ended.takeAll(loan -> {});
        assertThat(ended.add(ScriptedLoan.at(3))).isFalse();
        ended.wakeFrom(1);
        assertThat(ended.add(ScriptedLoan.at(4))).isTrue();
    }
}
