package dev.weir.cli.pipe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.RecordDecodeException;
import dev.weir.lean.BatchTooLargeException;
import org.junit.jupiter.api.Test;

/** The message about a batch that cannot be read. */
class BatchOptionsTest {

    @Test
    void failure_ofABatchThatIsTooLarge_namesTheOption() {
        var cause = new BatchTooLargeException("in", 0, 5, 70_000, 65_536, "maxBatchBytes");
        assertThat(BatchOptions.failure(new RecordDecodeException("in", 0, 5, cause)))
                .hasMessageContaining("more than --max-batch-bytes=65536 bytes; raise --max-batch-bytes or skip")
                .message()
                .doesNotContain("maxBatchBytes");
    }
}
