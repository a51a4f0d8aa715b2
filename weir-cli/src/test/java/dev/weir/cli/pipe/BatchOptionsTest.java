package dev.weir.cli.pipe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.RecordDecodeException;
import java.nio.BufferUnderflowException;
import org.junit.jupiter.api.Test;

/** Tests the message about an unreadable batch. */
class BatchOptionsTest {

    @Test
    void failure_ofABatchThatIsTooLarge_namesTheOption() {
        var cause = new IllegalStateException(
                "a batch of 9 bytes, more than maxBatchBytes=8 bytes; raise maxBatchBytes or skip the batch");
        assertThat(BatchOptions.failure(new RecordDecodeException("in", 0, 5, cause)))
                .hasMessageContaining("more than --max-batch-bytes=8 bytes; raise --max-batch-bytes or skip")
                .message()
                .doesNotContain("maxBatchBytes");
    }

    /** Regression: the message was "null". */
    @Test
    void failure_whoseCauseHasNoMessage_namesItsType() {
        assertThat(BatchOptions.failure(new RecordDecodeException("in", 0, 5, new BufferUnderflowException())))
                .hasMessage("a batch cannot be read: java.nio.BufferUnderflowException");
    }
}
