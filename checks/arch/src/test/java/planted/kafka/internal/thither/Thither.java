package planted.kafka.internal.thither;

import planted.kafka.internal.hither.Hither;

/** The other half of the cycle with {@code Hither}. */
public class Thither {
    Class<?> back = Hither.class;
}
