package dev.weir.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LeftGroupsTest {

    private final List<String> notes = new ArrayList<>();
    private final AtomicInteger asked = new AtomicInteger();

    @Test
    void groupThatIsEmpty_isDeletedOnce() {
        LeftGroups groups = groups(LeftGroups.LONGEST_SESSION_NANOS, false);
        groups.delete("g", () -> heldFor(0));
        groups.deleteAll();
        assertThat(asked).hasValue(1);
        assertThat(notes).isEmpty();
    }

    /** Brokers never expire a share group, and refuse to delete it until the sessions of its killed members expire. */
    @Test
    void groupOfKilledMembers_isDeletedWhenTheirSessionsAreOver() {
        LeftGroups groups = groups(LeftGroups.LONGEST_SESSION_NANOS, false);
        groups.delete("g", () -> heldFor(3));
        assertThat(asked).as("nobody waits amid a campaign").hasValue(1);
        groups.deleteAll();
        assertThat(asked).hasValue(4);
        assertThat(notes).isEmpty();
        groups.deleteAll();
        assertThat(asked).hasValue(4);
    }

    @Test
    void groupThatIsHeldLonger_isNoted() {
        LeftGroups groups = groups(0, false);
        groups.delete("g", () -> heldFor(9));
        groups.deleteAll();
        assertThat(notes)
                .singleElement()
                .asString()
                .startsWith("share group g is left over, and no broker forgets it by itself: ")
                .endsWith("GroupNotEmptyException: held");
    }

    @Test
    void campaignThatIsStopped_waitsForNone() {
        LeftGroups groups = groups(LeftGroups.LONGEST_SESSION_NANOS, true);
        groups.delete("g", () -> heldFor(9));
        groups.deleteAll();
        assertThat(asked).hasValue(2);
        assertThat(notes).hasSize(1);
    }

    @Test
    void groupThatMayNotBeDeleted_isNotedAtOnce() {
        LeftGroups groups = groups(LeftGroups.LONGEST_SESSION_NANOS, false);
        groups.delete("g", () -> new GroupAuthorizationException("g"));
        groups.deleteAll();
        assertThat(notes).hasSize(1);
    }

    private LeftGroups groups(long sessionNanos, boolean isStopped) {
        return new LeftGroups(sessionNanos, () -> isStopped, notes::add);
    }

    private @Nullable Throwable heldFor(int times) {
        return asked.incrementAndGet() > times ? null : new GroupNotEmptyException("held");
    }
}
