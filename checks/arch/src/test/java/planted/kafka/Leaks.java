package planted.kafka;

import java.util.List;
import java.util.function.Consumer;
import planted.kafka.internal.Hidden;

/** Shows an internal type wherever a user can see it. */
public class Leaks extends Hidden {
    protected final Hidden[] field = {};

    public List<Hidden> result() {
        return List.of();
    }

    public void argument(Consumer<? super Hidden> consumer) {
        consumer.accept(new Hidden());
    }
}
