package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.share.ScriptedReceiver.ScriptedRecord;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FinishedRecordsTest {

    private final FinishedRecords ended = new FinishedRecords();

    @Test
    void records_areTakenOnce_theLastOneFirst() {
        List<Long> taken = new ArrayList<>();
        ended.takeAll(locked -> taken.add(locked.offset()));
        assertThat(taken).isEmpty();
        assertThat(ended.count()).isZero();
        for (long offset = 0; offset < 3; offset++) {
            assertThat(ended.add(ScriptedRecord.at(offset))).as("nobody waits").isFalse();
        }
        assertThat(ended.count()).isEqualTo(3);
        ended.takeAll(locked -> taken.add(locked.offset()));
        ended.takeAll(locked -> taken.add(locked.offset()));
        assertThat(taken).containsExactly(2L, 1L, 0L);
        assertThat(ended.count()).isZero();
    }

    @Test
    void member_isWokenFromTheCountThatIsWorthIt() {
        ended.wakeFrom(2);
        assertThat(ended.add(ScriptedRecord.at(0))).isFalse();
        assertThat(ended.add(ScriptedRecord.at(1))).isTrue();
        assertThat(ended.add(ScriptedRecord.at(2))).isTrue();
        ended.takeAll(locked -> {});
        assertThat(ended.add(ScriptedRecord.at(3))).isFalse();
        ended.wakeFrom(1);
        assertThat(ended.add(ScriptedRecord.at(4))).isTrue();
    }
}
