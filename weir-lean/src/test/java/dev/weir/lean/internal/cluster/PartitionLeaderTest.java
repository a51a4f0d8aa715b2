package dev.weir.lean.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PartitionLeaderTest {

    private final PartitionLeader leader = new PartitionLeader();

    private void assertLeader(int node, int epoch) {
        assertThat(leader.node()).isEqualTo(node);
        assertThat(leader.epoch()).isEqualTo(epoch);
    }

    @Test
    void metadata_ofTheSameOrANewerEpoch_areLearned_andOlderOnesAreNot() {
        assertLeader(PartitionLeader.NOBODY, -1);
        assertThat(leader.learn(1, 5)).isTrue();
        assertThat(leader.learn(2, 4)).isFalse();
        assertLeader(1, 5);
        assertThat(leader.learn(PartitionLeader.NOBODY, 5)).isTrue();
        assertLeader(PartitionLeader.NOBODY, 5);
    }

    @Test
    void hint_ofANewerEpochOnly_isLearned() {
        assertThat(leader.learn(1, 5)).isTrue();
        assertThat(leader.hint(2, 4)).isFalse();
        assertThat(leader.hint(2, 5)).isFalse();
        assertLeader(1, 5);
        assertThat(leader.hint(2, 6)).isTrue();
        assertLeader(2, 6);
    }

    @Test
    void recreatedTopic_acceptsAnyEpoch() {
        assertThat(leader.learn(1, 5)).isTrue();
        leader.recreated();
        assertThat(leader.learn(2, 0)).isTrue();
        assertLeader(2, 0);
    }
}
