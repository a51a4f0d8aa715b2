package dev.weir.kafka.internal.in.owner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StaticMembersTest {

    private final StaticMembers members = new StaticMembers();

    /** Regression: after one of two pipelines had ended, a third one did not notice the one still running. */
    @Test
    void member_ofTwoPipelines_isSharedUntilBothHaveEnded() {
        StaticMembers.Membership first = members.enter("one");
        StaticMembers.Membership second = members.enter("one");
        assertThat(second.isShared()).isTrue();

        first.end();
        first.end();
        StaticMembers.Membership third = members.enter("one");
        assertThat(third.isShared()).isTrue();

        second.end();
        assertThat(third.isShared()).isFalse();
    }

    @Test
    void members_withDifferentNames_areNotShared() {
        StaticMembers.Membership one = members.enter("one");
        StaticMembers.Membership two = members.enter("two");

        assertThat(one.isShared()).isFalse();
        assertThat(two.isShared()).isFalse();
    }
}
