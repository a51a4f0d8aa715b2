package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeanRecordTest {

    @ParameterizedTest
    @CsvSource({"-62135596800000, -1", "-2, -1", "-1, -1", "0, 0", "77, 77"})
    void timestamp_ofAConsumedRecord_countsAsNoneIfNegative(long consumed, long written) {
        LeanRecord record = new LeanRecord("topic").timestamp(77).timestamp(consumed);

        assertThat(record.timestampMillis()).isEqualTo(written);
    }
}
