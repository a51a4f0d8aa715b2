package dev.weir.stream.internal.substream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.Stage;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupTurnsTest {

    private final VirtualClock clock = new VirtualClock();
    private final GroupTurns<String> turns = new GroupTurns<>(clock);
    private final List<String> taken = new ArrayList<>();

    @Test
    void groups_takeTheirTurnsByTime_andByTheOrderOfTheirRequests() {
        assertThat(turns.isEmpty()).isTrue();
        assertThat(turns.nextNanos()).isEqualTo(Stage.NEVER);
        turns.ask("late", 30);
        turns.ask("first", 20);
        turns.ask("second", 20);
        turns.ask("early", 10);
        assertThat(turns.isEmpty()).isFalse();
        assertThat(turns.nextNanos()).isEqualTo(10);
        clock.advance(Duration.ofNanos(9));
        turns.takeDue(taken::add);
        assertThat(taken).isEmpty();
        clock.advance(Duration.ofNanos(11));
        turns.takeDue(taken::add);
        assertThat(taken).containsExactly("early", "first", "second");
        assertThat(turns.nextNanos()).isEqualTo(30);
        turns.takeAll(taken::add);
        assertThat(taken).endsWith("late").hasSize(4);
        assertThat(turns.isEmpty()).isTrue();
    }

    @Test
    void group_keepsTheEarliestTurnThatItRequested() {
        turns.ask("group", 20);
        turns.ask("other", 20);
        turns.ask("group", 30);
        assertThat(turns.nextNanos()).isEqualTo(20);
        turns.ask("group", 10);
        assertThat(turns.nextNanos()).isEqualTo(10);
        clock.advance(Duration.ofNanos(100));
        turns.takeDue(taken::add);
        assertThat(taken).containsExactly("group", "other");
        // A group whose turn has been taken may ask again.
        turns.ask("group", 200);
        assertThat(turns.nextNanos()).isEqualTo(200);
    }

    /** A request for the same time keeps the place in the order. */
    @Test
    void group_thatAsksForItsTurnAgain_keepsItsPlace() {
        turns.ask("first", 20);
        turns.ask("second", 20);
        turns.ask("first", 20);
        turns.takeAll(taken::add);
        assertThat(taken).containsExactly("first", "second");
    }

    @Test
    void group_thatIsForgotten_hasNoTurn() {
        turns.ask("group", 20);
        turns.ask("other", 30);
        turns.forget("group");
        turns.forget("unknown");
        assertThat(turns.nextNanos()).isEqualTo(30);
        turns.ask("group", 40);
        clock.advance(Duration.ofNanos(40));
        turns.takeDue(taken::add);
        assertThat(taken).containsExactly("other", "group");
    }

    /** The time of the system clock may overflow. */
    @Test
    void times_areComparedByTheirDifference() {
        turns.ask("after", Long.MIN_VALUE + 5);
        turns.ask("before", Long.MAX_VALUE - 5);
        turns.ask("after", Long.MIN_VALUE + 10);
        turns.takeAll(taken::add);
        assertThat(taken).containsExactly("before", "after");
    }
}
