package dev.weir.cli.pipe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ShareHandle;
import org.junit.jupiter.api.Test;

class ShareSummaryTest {

    private static String text(int members) {
        ShareHandle.Snapshot member = ShareHandle.Snapshot.builder()
                .lanes(members)
                .pollRecords(1_829)
                .acquireMode("record_limit")
                .build();
        return new ShareSummary(member, 16, new HandlerTimes()).text();
    }

    @Test
    void text_namesOneMemberOrMany() {
        assertThat(text(1)).endsWith("  1 member of the group acquires up to 1,829 records (record_limit)");
        assertThat(text(3)).endsWith("  3 members of the group acquire up to 1,829 records each (record_limit)");
    }
}
