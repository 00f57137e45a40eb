# An order on an iPhone, one on an Android device, and who may not.
url=$PUSHRIG_RELAY_URL/api/v1/push/live-activities
server='x-api-key: sk_prod_growth_ann4711' app='x-api-key: pk_prod_growth_ann4711'
token=$(printf 'c3%.0s' $(seq 80)) next=$(printf 'c9%.0s' $(seq 80))
phone=fQx9kTzR3eE:APA91bH$(printf 'wX3k9%.0s' $(seq 27)) other=gRy8lUaS4fF:APA91bJ$(printf 'yZ4m8%.0s' $(seq 27))
id() { grep -o '"id":"[^"]*"' | head -n 1 | cut -d'"' -f4; }
state() { echo "{\"contentState\": {\"status\": \"$1\", \"minutesAway\": $2, \"driverName\": \"$3\"}}"; }
begin() { # TOKEN ORDER DRIVER
    curl -s -H "$app" --json "{\"pushToken\": \"$1\", \"activityType\": \"OrderAttributes\", \"attributes\": {\"orderId\": \"$2\"},
        \"contentState\": {\"status\": \"preparing\", \"minutesAway\": 30, \"driverName\": \"$3\"}, \"userId\": \"customer-91\", \"bundleId\": \"com.example.app\"}" "$url/start-token"
}
begin_android() {
    curl -s -H "$app" --json "{\"pushToken\": \"$1\", \"platform\": \"android\", \"activityType\": \"OrderTracker\", \"attributes\": {\"orderId\": \"$2\"},
        \"contentState\": {\"status\": \"preparing\", \"minutesAway\": 30, \"driverName\": \"$3\"}, \"externalId\": \"$2\"}" "$url/start-token"
}
update() { curl -s -X PATCH -H "$server" --json "$(state "$2" "$3" "$4")" "$url/$1/update"; sleep 1; }

order=$(begin "$token" order-7Kd02mPq "Nobody has it yet" | id); sleep 1
update "$order" out_for_delivery 12 "Ada has it now"
update "$order" out_for_delivery 5 "Ada is nearly there"
begin "$next" order-7Kd02mPq "The token has changed"; sleep 1
update "$order" out_for_delivery 2 "Ada is at the door"
curl -s -X PATCH -H "$app" --json "$(state delivered 0 "The app may not say so")" "$url/$order/update"; sleep 1
curl -s -X DELETE -H "$server" "$url/$order"; sleep 1
curl -s -X DELETE -H "$server" "$url/$order"; sleep 1
order=$(begin_android "$phone" order-9Lx77aBc "It waits in the kitchen" | id); sleep 1
update "$order" out_for_delivery 9 "Bea has it now"
begin_android "$other" order-9Lx77aBc "The phone has changed"; sleep 1
update "$order" out_for_delivery 3 "Bea is nearly there"
curl -s -X DELETE -H "$server" "$url/$order"; sleep 1
