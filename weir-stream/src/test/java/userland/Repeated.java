package userland;

import dev.weir.stream.spi.ElementOperator;
import java.util.List;
import java.util.function.Function;

/** An operator in a user's package: emits what a function makes of each element. Confined to the stage's thread. */
public final class Repeated<T> implements ElementOperator<T, T> {

    private final Function<T, List<T>> copies;

    public Repeated(Function<T, List<T>> copies) {
        this.copies = copies;
    }

    @Override
    public void onElement(T element, Emitter<? super T> below) {
        copies.apply(element).forEach(below::emit);
    }
}
